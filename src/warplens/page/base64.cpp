#include "warplens/page/base64.h"

#include <cstdint>

namespace warplens::page {

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) -> uint32_t { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0; };
    const uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out += kDigits[three >> shift & 63];
  }
  for (size_t rest = bytes.size() % 3; rest != 0 && rest < 3; ++rest) out[out.size() - (3 - rest)] = '=';
  return out;
}

std::string base64_of_hex(std::string_view digits) {
  const auto value = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(value(digits[i]) << 4 | value(digits[i + 1]));
  return base64(bytes);
}

}  // namespace warplens::page
