// Text from files, made so that a terminal, a build log or a spreadsheet shows it and does nothing else.
#pragma once
#include <string>
#include <string_view>

namespace warplens {

/// A name as one line of visible characters: control characters, those that turn the direction of writing and those
/// that nobody sees become escapes, as \n, \u001b and \u202e; bytes that are no UTF-8 become U+FFFD.
std::string printable(std::string_view name);
bool is_printable(std::string_view name);

/// A text of several lines for a terminal or a log: line breaks, tabs and the colours of styled() stay; other control
/// characters are escaped as above. What a build service takes for a command (::error:: as the first of a line,
/// ##[group] and ##vso[ anywhere) gets a sign between that it does not know.
std::string printable_lines(std::string_view text);

/// Whether a spreadsheet takes a cell that begins so for a formula, or a build service for a command.
bool begins_formula(std::string_view cell);

}  // namespace warplens
