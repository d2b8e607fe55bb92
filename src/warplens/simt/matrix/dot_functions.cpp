#include "warplens/simt/matrix/dot_functions.h"

#include "warplens/simt/lane_isa.h"

namespace warplens::simt {

#define WL_DECLARE(isa)                                                                                       \
  inline namespace isa {                                                                                      \
  void dot_column(const DotColumn& column);                                                                   \
  bool dot_unpack(const uint32_t* bits, int count, ptx::Type type, const NumberFormat& format, float* values, \
                  int32_t* exponents);                                                                        \
  bool dot_tiles(const TileProduct& product);                                                                 \
  constexpr DotFunctions kDotFunctions{dot_column, dot_unpack, dot_tiles};                                    \
  }
WL_DECLARE(baseline)
#ifdef WARPLENS_X86_LANES
WL_DECLARE(avx2)
WL_DECLARE(avx512)
#endif
#undef WL_DECLARE

const DotFunctions& dot_functions() {
  static const DotFunctions& best = []() -> const DotFunctions& {
#ifdef WARPLENS_X86_LANES
    if (lane_isa() == "avx512") return avx512::kDotFunctions;
    if (lane_isa() == "avx2") return avx2::kDotFunctions;
#endif
    return baseline::kDotFunctions;
  }();
  return best;
}

}  // namespace warplens::simt
