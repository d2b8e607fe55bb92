// Text from files, escaped so that terminals, build logs and spreadsheets show it and never act on it.
#pragma once
#include <string>
#include <string_view>

namespace warplens {

/// A name as one line of visible characters. Control, bidirectional and invisible characters become escapes, such as
/// , \u001b and \u202e. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view name);
bool is_printable(std::string_view name);

/// A text of several lines for a terminal or a log. Line breaks, tabs and the colours of styled() stay; other control
/// characters are escaped as above. A sequence that a build service reads as a command gets a character inserted:
/// ::error:: at the begin of a line, ##[group] and ##vso[ anywhere.
std::string printable_lines(std::string_view text);

/// Whether a spreadsheet takes a cell that begins so for a formula, or a build service for a command.
bool begins_formula(std::string_view cell);

}  // namespace warplens
