#pragma once

#include "exporters/screen.h"

namespace commands {

bool is_terminal(); ///< is stdout?

/// What stdout can show: its width (80 where it is no terminal), UTF-8 by the locale's variables,
/// colours on a terminal unless NO_COLOR is set.
exporters::ScreenOptions read_screen();

/// Has stdout taken everything? A pipe that was closed has: its reader has seen enough. A full disk
/// has not: false, after an error on stderr.
bool flush_stdout();

} // namespace commands
