// Invisible code points and those that act on a terminal. Header only, for code that cannot link the rest of base.
#pragma once
#include <cstdint>

namespace warplens {

/// Beyond ASCII: C1 controls, separators of lines and paragraphs, notes between lines. Further, all that Unicode
/// ignores by default: marks of direction, joiners, fillers, selectors of variants, tags. With one of them a name looks
/// like another.
inline constexpr struct {
  uint32_t first, last;
} kUnseen[] = {{0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},    {0x61c, 0x61c},   {0x115f, 0x1160},
               {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},  {0x2028, 0x202e}, {0x2060, 0x206f},
               {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},  {0xffa0, 0xffa0}, {0xfff0, 0xfffb},
               {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

constexpr bool is_seen(uint32_t code) {
  if (code < 0x80) return code >= 0x20 && code != 0x7f;
  for (const auto& range : kUnseen) {
    if (code >= range.first && code <= range.last) return false;
  }
  return true;
}

}  // namespace warplens
