#include "exporters/screen.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace exporters {
namespace {

constexpr const char* bold = "1";

const char* colour(Tone tone) {
    switch (tone) {
    case Tone::plain:
        break;
    case Tone::good:
        return "32";
    case Tone::warning:
        return "33";
    case Tone::bad:
        return "31";
    }
    return bold;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> plain{
    {{"µ", "u"}, {"±", "+-"}, {"×", "x"}, {"–", "-"}, {"÷", "/"}, {"…", "..."}}};

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::string pad(size_t columns, size_t width) {
    return std::string(columns < width ? width - columns : 0, ' ');
}

} // namespace

std::string Screen::printable(std::string_view text) const {
    std::string result;
    for (const char byte : text)
        result += static_cast<unsigned char>(byte) < 32 ? '?' : byte;
    if (options_.unicode) return result;
    for (const auto& [from, to] : plain)
        for (size_t at = result.find(from); at != std::string::npos; at = result.find(from, at))
            result.replace(at, from.size(), to);
    return result;
}

size_t Screen::columns(std::string_view text) const {
    const std::string shown = printable(text);
    return static_cast<size_t>(
        std::count_if(shown.begin(), shown.end(), [](char byte) { return !continues(byte); }));
}

std::string Screen::strong(const std::string& text, const char* code) const {
    return options_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

void Screen::heading(const std::string& text) {
    out_ << '\n' << strong(printable(text), bold) << '\n';
}

void Screen::rows(std::vector<Row> rows, size_t least) {
    size_t label_width = 0;
    std::vector<size_t> widths;
    for (const Row& row : rows) {
        label_width = std::max(label_width, columns(row.label));
        widths.resize(std::max(widths.size(), row.cells.size()), least);
        for (size_t i = 0; i < row.cells.size(); ++i)
            widths[i] = std::max(widths[i], columns(row.cells[i]));
    }
    for (const Row& row : rows)
        write_row(row, label_width, widths);
}

void Screen::write_row(const Row& row, size_t label_width, const std::vector<size_t>& widths) {
    std::string line = "  " + printable(row.label) + pad(columns(row.label), label_width);
    for (size_t i = 0; i < row.cells.size(); ++i)
        line += "  " + pad(columns(row.cells[i]), widths[i]) + printable(row.cells[i]);
    const std::string note = row.note.empty() ? "" : "   " + row.note;
    if (columns(line) + columns(note) <= static_cast<size_t>(options_.width))
        line += printable(note);
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
}

void Screen::text(const std::string& text, size_t indent) {
    std::string line;
    for (const std::string_view word : base::split(text)) {
        if (!line.empty() &&
            indent + columns(line) + 1 + columns(word) > static_cast<size_t>(options_.width)) {
            out_ << std::string(indent, ' ') << line << '\n';
            line.clear();
        }
        line += (line.empty() ? "" : " ") + printable(word);
    }
    out_ << std::string(indent, ' ') << line << '\n';
}

void Screen::label(const std::string& text, Tone tone) {
    out_ << "  " << strong(printable(text), colour(tone)) << '\n';
}

void Screen::warning(const base::Warning& warning) {
    label(warning.id, Tone::warning);
    text(warning.text, 4);
}

} // namespace exporters
