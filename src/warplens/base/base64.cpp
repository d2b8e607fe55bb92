#include "warplens/base/base64.h"

#include <array>
#include <cstdint>

namespace warplens {

namespace {
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string base64(std::string_view bytes) {
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

std::string bytes_of_base64(std::string_view text) {
  std::array<int, 256> value;
  value.fill(-1);
  for (size_t k = 0; k < kDigits.size(); ++k) value[static_cast<unsigned char>(kDigits[k])] = static_cast<int>(k);
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = value[static_cast<unsigned char>(c)];
    if (digit < 0) continue;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255);
  }
  return out;
}

std::string base64_of_hex(std::string_view digits) {
  const auto value = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(value(digits[i]) << 4 | value(digits[i + 1]));
  return base64(bytes);
}

}  // namespace warplens
