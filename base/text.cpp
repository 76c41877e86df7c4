#include "base/text.h"

#include <charconv>
#include <cmath>

namespace base {
namespace {

template <typename Number>
std::optional<Number> parse(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

} // namespace

std::string_view trim(std::string_view text) {
    constexpr std::string_view white = " \t\r\n";
    const auto first = text.find_first_not_of(white);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> pieces;
    size_t start = text.find_first_not_of(separators);
    while (start != text.npos) {
        const size_t end = text.find_first_of(separators, start);
        pieces.push_back(text.substr(start, end - start));
        start = text.find_first_not_of(separators, end);
    }
    return pieces;
}

std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        all.push_back(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return all;
}

std::optional<int64_t> parse_integer(std::string_view text) { return parse<int64_t>(text); }

std::optional<double> parse_number(std::string_view text) {
    const auto number = parse<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

} // namespace base
