// Files as launches take them: plain, gzip or Zstandard, or standard input.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"

namespace warplens::launch {

/// All of `path` ("-" is standard input), decompressed. The error says where a damaged file breaks.
Result<std::string> read_input(const std::string& path);

/// The first 64 KiB of the file, to recognise its kind; "" if unreadable, and for standard input, read only once.
std::string read_start(const std::string& path);

/// True if `text`, or its start, is a launch file (a JSON object) rather than a kernel's source.
bool is_launch_file(std::string_view text);

}  // namespace warplens::launch
