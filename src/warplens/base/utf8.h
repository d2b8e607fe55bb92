// Code points as UTF-8.
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

/// Converts text that begins with UTF-16's byte-order mark, as PowerShell's ">" writes it; "" for any other text.
/// Unpaired surrogates become U+FFFD.
inline std::string utf8_of_utf16(std::string_view bytes) {
  std::string out;
  const bool little = bytes.starts_with("\xFF\xFE"), big = bytes.starts_with("\xFE\xFF");
  if (!little && !big) return out;
  const auto unit = [&](size_t at) -> uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return little ? first | second << 8 : first << 8 | second;
  };
  for (size_t at = 2; at + 1 < bytes.size(); at += 2) {
    uint32_t code = unit(at);
    const bool leads = code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size();
    if (const uint32_t next = leads ? unit(at + 2) : 0; next >= 0xDC00 && next < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (next - 0xDC00);
      at += 2;
    }
    append_utf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
  }
  return out;
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
