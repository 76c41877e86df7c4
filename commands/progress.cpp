#include "commands/progress.h"

#include <cstdio>
#include <unistd.h>

namespace commands {

Progress::Progress(bool quiet)
    : shown_on_terminal_(!quiet && isatty(STDERR_FILENO) != 0), quiet_(quiet) {}

void Progress::show(const std::string& text) {
    if (!shown_on_terminal_) return;
    text_ = text;
    std::fprintf(stderr, "\r\033[K%s", text_.c_str());
    std::fflush(stderr);
}

void Progress::clear() {
    if (text_.empty()) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    text_.clear();
}

void Progress::print(std::string_view line) {
    const auto text = text_;
    clear();
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
    if (!text.empty()) show(text);
}

} // namespace commands
