// Invisible code points and those that act on a terminal. Header only, for code that cannot link the rest of base.
#pragma once
#include <cstdint>

namespace warplens {

/// Beyond ASCII: C1 controls, marks of direction, joiners, separators of lines and paragraphs, the byte order mark,
/// tags.
inline constexpr struct {
  uint32_t first, last;
} kUnseen[] = {{0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
               {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

constexpr bool is_seen(uint32_t code) {
  if (code < 0x80) return code >= 0x20 && code != 0x7f;
  for (const auto& range : kUnseen) {
    if (code >= range.first && code <= range.last) return false;
  }
  return true;
}

}  // namespace warplens
