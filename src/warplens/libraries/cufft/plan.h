// A plan of cuFFT: its transform, and the layout of its elements.
#pragma once
#include <array>
#include <cstdint>

#include "warplens/libraries/math/number.h"

namespace warplens::libraries {

inline constexpr int kMostRank = 3;

/// One side's elements: those of a batch `step` apart in rows as long as `embed` says, `distance` from batch to batch.
struct FftSide {
  Number number = Number::kC32;
  bool embedded = false;  // else they lie as the transform has them, one after another
  std::array<int64_t, kMostRank> embed{};
  int64_t step = 1, distance = 0;
};

struct FftPlan {
  int rank = 0;  // 0: not made yet
  std::array<int64_t, kMostRank> lengths{1, 1, 1};
  int64_t batches = 1;
  FftSide in, out;
  void* stream = nullptr;

  bool real_to_complex() const { return !is_complex(in.number); }
  bool complex_to_real() const { return !is_complex(out.number); }
  /// The product of all dimensions.
  int64_t elements() const { return lengths[0] * lengths[1] * lengths[2]; }
};

/// Where the elements of one side lie; `in_place`: real rows then have room for the complex ones.
struct FftLayout {
  std::array<int64_t, kMostRank> lengths{1, 1, 1}, steps{};  // of the elements that are there, outermost first
  int64_t distance = 0;
  int64_t batch_span() const {  // from the first to after the last of a batch
    int64_t last = 0;
    for (size_t i = 0; i < lengths.size(); ++i) last += (lengths[i] - 1) * steps[i];
    return last + 1;
  }
};
FftLayout layout_of(const FftPlan& plan, const FftSide& side, bool in_place);

}  // namespace warplens::libraries
