// Strings of JSON, for code that cannot link the rest of base.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/unseen.h"
#include "warplens/base/utf8.h"

namespace warplens::json {

/// `text`, which is UTF-8, quoted and escaped. Terminals and build logs can show it safely: it has no control
/// characters and no ## that a build service could read as a command.
inline std::string quoted_utf8(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  const auto escape = [&](unsigned unit) {
    out += {'\\', 'u', kHex[unit >> 12], kHex[unit >> 8 & 15], kHex[unit >> 4 & 15], kHex[unit & 15]};
  };
  const auto escape_wide = [&](uint32_t code) {  // beyond 16 bits as a pair of surrogates
    if (code < 0x10000) return escape(code);
    escape(0xd800 + ((code - 0x10000) >> 10));
    escape(0xdc00 + (code & 0x3ff));
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const unsigned code = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (code < 0x20 || code == 0x7f || (c == '#' && out.back() == '#')) {
          escape(code);
        } else if (code < 0x80) {
          out += c;
        } else {
          uint32_t point = 0;
          const size_t bytes = decode_utf8(text.substr(at), point);
          if (is_seen(point)) out += text.substr(at, bytes);
          else escape_wide(point);
          at += bytes - 1;
        }
    }
  }
  return out + '"';
}

}  // namespace warplens::json
