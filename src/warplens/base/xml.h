// Text inside XML: pictures and pages.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/printable.h"

namespace warplens {

/// `text` as it stands between tags and in attributes of XML and HTML, in single or double quotes; line breaks become
/// spaces, other control characters and bytes that are no UTF-8, which XML refuses, what printable() makes of them.
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
