// SHA-256 (FIPS 180-4), for cache keys and for the verification of cached files.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens {

class Sha256 {
 public:
  Sha256& add(std::string_view bytes);
  /// Adds the length, then the bytes, so that ("ab", "c") and ("a", "bc") differ.
  Sha256& add_field(std::string_view bytes);
  /// The digest as 64 hexadecimal digits. Add nothing afterwards.
  std::string hex();

 private:
  void block(const unsigned char* data);
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  size_t pending_bytes_ = 0;
  uint64_t total_bytes_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace warplens
