#include "commands/terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace commands {
namespace {

bool speaks_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (!value || !*value) continue;
        const std::string locale = value;
        return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
    }
    return false;
}

} // namespace

bool is_terminal() { return isatty(STDOUT_FILENO) != 0; }

exporters::ScreenOptions read_screen() {
    exporters::ScreenOptions screen{.unicode = speaks_utf8()};
    if (!is_terminal()) return screen;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) screen.width = size.ws_col;
    const char* no_colour = std::getenv("NO_COLOR");
    screen.colour = !no_colour || !*no_colour;
    return screen;
}

bool flush_stdout() {
    if (std::cout.flush() || errno == EPIPE) return true;
    fmt::print(stderr, "cyclesoak: not all could be written to stdout: {}\n", std::strerror(errno));
    return false;
}

} // namespace commands
