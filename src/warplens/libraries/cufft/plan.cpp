#include "warplens/libraries/cufft/plan.h"

namespace warplens::libraries {

FftLayout layout_of(const FftPlan& plan, const FftSide& side, bool in_place) {
  FftLayout out;
  const bool has_real_side = plan.real_to_complex() || plan.complex_to_real();
  const int64_t full = plan.lengths[kMostRank - 1], half = full / 2 + 1;
  const bool halved = has_real_side && is_complex(side.number);
  out.lengths = plan.lengths;
  if (halved) out.lengths[kMostRank - 1] = half;
  std::array<int64_t, kMostRank> embed = out.lengths;
  if (has_real_side && !halved && in_place) embed[kMostRank - 1] = 2 * half;
  const auto unused = static_cast<size_t>(kMostRank - plan.rank);
  if (side.embedded) {
    for (size_t i = unused; i < kMostRank; ++i) embed[i] = side.embed[i - unused];
  }
  int64_t step = side.embedded ? side.step : 1;
  for (size_t i = kMostRank; i-- > 0;) {
    out.steps[i] = step;
    step *= embed[i];
  }
  out.distance = side.embedded ? side.distance : step;
  return out;
}

}  // namespace warplens::libraries
