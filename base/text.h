#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

/// Without white space at both ends.
std::string_view trim(std::string_view text);
/// The non-empty pieces between any of `separators`; views into `text`.
std::vector<std::string_view> split(std::string_view text, std::string_view separators = " \t");
/// Lines without their newlines; a last newline does not make an empty line.
std::vector<std::string_view> lines(std::string_view text);

/// The pieces would outlive a text that nobody keeps.
template <std::same_as<std::string> Text>
void split(Text&& text, std::string_view separators = " \t") = delete;
template <std::same_as<std::string> Text>
void lines(Text&& text) = delete;

/// The whole text as a decimal number, or nullopt.
std::optional<int64_t> parse_integer(std::string_view text);
/// A finite number, or nullopt.
std::optional<double> parse_number(std::string_view text);

} // namespace base
