// Large and small letters of ASCII, in every locale.
#pragma once
#include <string>
#include <string_view>

namespace warplens {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

inline std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = upper(c);
  return out;
}

/// The text with a large first letter.
inline std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = upper(text.front());
  return text;
}

}  // namespace warplens
