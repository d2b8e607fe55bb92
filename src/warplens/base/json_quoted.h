// Strings of JSON, for those who cannot link the rest of base too.
#pragma once
#include <string>
#include <string_view>

namespace warplens::json {

/// How many bytes at `at` are a character that a terminal acts on or that turns the direction of writing, and which:
/// C1 controls, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. 0 for any other.
inline size_t acting_character(std::string_view text, size_t at, unsigned& code) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) {
    code = byte(1);
    return 2;
  }
  if (byte(0) != 0xe2 || (byte(1) != 0x80 && byte(1) != 0x81)) return 0;
  code = 0x2000 | (byte(1) & 1) << 6 | (byte(2) & 0x3f);
  const bool acts =
      code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return acts ? 3 : 0;
}

/// `text`, which is UTF-8, with quotes around it and escapes inside. Terminals and build logs show it as it is: no
/// control character stands in it, and no ## that a build service might take for its own.
inline std::string quoted_utf8(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  const auto escape = [&](unsigned code) {
    out += {'\\', 'u', kHex[code >> 12], kHex[code >> 8 & 15], kHex[code >> 4 & 15], kHex[code & 15]};
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    unsigned code = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (code < 0x20 || code == 0x7f || (c == '#' && out.back() == '#')) {
          escape(code);
        } else if (const size_t bytes = code < 0x80 ? 0 : acting_character(text, at, code); bytes > 0) {
          escape(code);
          at += bytes - 1;
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

}  // namespace warplens::json
