// Lines of source files beside what was found in them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warplens {

/// All lines of `file`; none when it cannot be read.
std::vector<std::string> source_lines(const std::string& file);

/// Line `line` (from 1) of `file` without its end; nothing when the file cannot be read or has no such line.
std::optional<std::string> source_line(const std::string& file, uint32_t line);

/// Line `line` with one before and one after it, numbered, the line itself marked, each after `indent`; "" as above.
std::string source_excerpt(const std::string& file, uint32_t line, std::string_view indent);

}  // namespace warplens
