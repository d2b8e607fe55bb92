// Unpredictable names, for files in folders that others may write to.
#pragma once
#include <sys/random.h>

#include <array>
#include <cstdint>
#include <string>

namespace warplens {

/// 16 hexadecimal digits from the kernel's random numbers.
inline std::string random_name() {
  std::array<uint8_t, 8> bytes{};
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (n > 0) have += static_cast<size_t>(n);
  }
  std::string out;
  for (const uint8_t byte : bytes) out += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  return out;
}

}  // namespace warplens
