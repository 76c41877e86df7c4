#pragma once

#include "base/warning.h"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace exporters {

/// What the reader's terminal can do.
struct ScreenOptions {
    int width = 80;      ///< columns
    bool unicode = true; ///< else us, +-, x
    bool colour = false;
};

/// What a label stands for, told by its colour.
enum class Tone { plain, good, warning, bad };

/// Writes headings, aligned rows and wrapped text for a terminal. Texts are UTF-8; control
/// characters in them never reach the terminal.
class Screen {
  public:
    Screen(std::ostream& out, const ScreenOptions& options) : out_(out), options_(options) {}

    int width() const { return options_.width; }

    /// The label left, the cells right-aligned, the note behind them where it fits.
    struct Row {
        std::string label;
        std::vector<std::string> cells;
        std::string note;
    };

    /// A paragraph's first line, after an empty one.
    void heading(const std::string& text);
    /// Rows whose columns are aligned with each other, indented under a heading. Columns are at
    /// least `least` wide.
    void rows(std::vector<Row> rows, size_t least = 0);
    /// A short name, with text() below it.
    void label(const std::string& text, Tone tone);
    /// Indented and wrapped at the width.
    void text(const std::string& text, size_t indent = 2);
    void warning(const base::Warning& warning);

    /// Columns that `text` takes once written.
    size_t columns(std::string_view text) const;

  private:
    std::string printable(std::string_view text) const;
    std::string strong(const std::string& text, const char* code) const;
    void write_row(const Row& row, size_t label_width, const std::vector<size_t>& widths);

    std::ostream& out_;
    ScreenOptions options_;
};

} // namespace exporters
