// Directed rounding of the processor's arithmetic, for the few instructions that have it.
#pragma once
#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

#include "warplens/simt/lanes/values.h"
#include "warplens/simt/modifiers.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// Arithmetic rounds that way within its scope. The compiler does not know of rounding modes: operands are read from
/// memory and results written to memory inside.
class RoundingScope {
 public:
#if defined(__x86_64__)
  explicit RoundingScope(Rounding mode) : before_(_mm_getcsr()) {
    constexpr uint32_t kBits[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN, _MM_ROUND_UP};
    _mm_setcsr((before_ & ~static_cast<uint32_t>(_MM_ROUND_MASK)) | kBits[mode & 3]);
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    _mm_setcsr(before_);
  }

 private:
  uint32_t before_;
#else
  explicit RoundingScope(Rounding mode) : before_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[mode & 3]);
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    std::fesetround(before_);
  }

 private:
  int before_;
#endif
};

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
