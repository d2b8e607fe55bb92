// Strings of JSON, for those who cannot link the rest of base too.
#pragma once
#include <string>
#include <string_view>

namespace warplens::json {

/// `text`, which is UTF-8, with quotes around it and escapes inside.
inline std::string quoted_utf8(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (const auto code = static_cast<unsigned char>(c); code < 0x20)
          out += {'\\', 'u', '0', '0', kHex[code >> 4], kHex[code & 15]};
        else out += c;
    }
  }
  return out + '"';
}

}  // namespace warplens::json
