// Text inside XML: pictures and pages.
#pragma once
#include <string>
#include <string_view>

namespace warplens {

/// `text` as it stands between tags and in attributes of XML and HTML; control characters become spaces.
inline std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

}  // namespace warplens
