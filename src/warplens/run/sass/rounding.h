// Directed rounding of the processor's arithmetic, for the few instructions that have it.
#pragma once
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

#include "warplens/simt/lanes/values.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// Modes as instructions have them: 0 nearest, 1 down, 2 up, 3 towards zero. Values that must be computed inside the
/// scope go through volatile variables.
class Rounding {
 public:
#if defined(__x86_64__)
  explicit Rounding(uint32_t mode) : before_(_mm_getcsr()) {
    if (mode) _mm_setcsr((before_ & ~0x6000u) | mode << 13);
  }
  ~Rounding() { _mm_setcsr(before_); }

 private:
  uint32_t before_;
#else
  explicit Rounding(uint32_t mode) : before_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    if (mode) std::fesetround(kModes[mode]);
  }
  ~Rounding() { std::fesetround(before_); }

 private:
  int before_;
#endif
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
