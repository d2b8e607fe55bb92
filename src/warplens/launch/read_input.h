// Files as launches take them: plain, gzip or Zstandard, or standard input.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"

namespace warplens::launch {

/// All of `path` ("-" is standard input), decompressed. The error says where a damaged file breaks.
Result<std::string> read_input(const std::string& path);

/// The first 64 KiB of it, to tell what it is; "" where it cannot be read, and of standard input, which is read once.
std::string read_start(const std::string& path);

/// Whether `text`, or its start, is a launch file (a JSON object) rather than a kernel's source.
bool is_launch_file(std::string_view text);

}  // namespace warplens::launch
