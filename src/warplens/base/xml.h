// Text inside XML: pictures and pages.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/printable.h"

namespace warplens {

/// `text` for use between tags and in quoted attributes of XML and HTML. Line breaks become spaces. printable()
/// replaces other control characters and bytes that are not UTF-8, which XML refuses.
inline std::string xml_escaped(std::string_view text) {
  std::string out;
  std::string shown(text);
  for (char& c : shown) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  for (const char c : printable(shown)) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else out += c;
  }
  return out;
}

}  // namespace warplens
