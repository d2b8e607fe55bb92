// Rounding modes as words say them.
#pragma once
#include "warplens/simt/modifiers.h"

namespace warplens::simt::sass_machine {

/// Nearest, down, up, towards zero.
constexpr Rounding rounding_of(uint32_t bits) {
  constexpr Rounding kOrder[] = {kNearest, kDown, kUp, kZero};
  return kOrder[bits & 3];
}

}  // namespace warplens::simt::sass_machine
