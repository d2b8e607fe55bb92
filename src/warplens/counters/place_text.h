// Where in the code something was counted, for people.
#pragma once
#include <cstdint>
#include <string>

#include "warplens/base/text.h"

namespace warplens::counters {

/// "file.cu:12" without the folder, or "+0x40" where the code has no lines.
inline std::string place_text(const std::string& file, uint32_t line, uint64_t offset) {
  if (line == 0) return fmt::format("+{:#x}", offset);
  const size_t slash = file.find_last_of('/');
  return fmt::format("{}:{}", slash == std::string::npos ? file : file.substr(slash + 1), line);
}

}  // namespace warplens::counters
