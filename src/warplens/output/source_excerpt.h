// Lines of source files beside their findings.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warplens {

/// From now on, lines are shown only of files that are in `places` or are one of them, links followed. Files below a
/// hidden folder there are not shown. Line information of foreign code may name any file. Before the first call, lines
/// of all files are shown.
void show_sources_only_in(const std::vector<std::string>& places);

/// Adds one file or folder; "" is the working folder. Does nothing unless lines are limited already.
void show_sources_in(const std::string& place);

/// The first requested file that was not shown because it is elsewhere, links followed; "" if there is
/// none.
std::string source_not_shown();

/// All lines of `file`; none when it cannot be read.
std::vector<std::string> source_lines(const std::string& file);

/// Line `line` (from 1) of `file` without its end; nothing if the file cannot be read or has no such line.
std::optional<std::string> source_line(const std::string& file, uint32_t line);

/// Line `line` with one before and one after it, numbered, the line itself marked, each after `indent`; "" as above.
std::string source_excerpt(const std::string& file, uint32_t line, std::string_view indent);

}  // namespace warplens
