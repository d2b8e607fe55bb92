// One code point as UTF-8.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens {

inline void append_utf8(std::string& out, uint32_t code_point) {
  const auto rest = [&](int shift) { out += static_cast<char>(0x80 | (code_point >> shift & 0x3F)); };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | code_point >> 6);
    rest(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | code_point >> 12);
    rest(6);
    rest(0);
  } else {
    out += static_cast<char>(0xF0 | (code_point >> 18 & 7));
    rest(12);
    rest(6);
    rest(0);
  }
}

/// The bytes of the character that begins `text`, which is UTF-8 and not empty, and its code point.
constexpr size_t decode_utf8(std::string_view text, uint32_t& code) {
  const auto lead = static_cast<unsigned char>(text[0]);
  size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (size > text.size()) size = text.size();
  code = size == 1 ? lead : lead & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return size;
}

}  // namespace warplens
