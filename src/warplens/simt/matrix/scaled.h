// Products of matrices with block scaling, bit for bit: D = (A * scales of A) * (B * scales of B) + C. Models and
// numbers are those of MMA-Sim 2.1.1.
#pragma once
#include "warplens/simt/matrix/math.h"

namespace warplens::simt {

/// Scale factors of the types ue8m0 or ue4m3, one for each of `blocks` equal parts of the inner dimension.
struct MatrixScales {
  ptx::Type type = ptx::Type::kUe8m0;
  int blocks = 1;
  const uint8_t* a = nullptr;  // of row i: from i * blocks on
  const uint8_t* b = nullptr;  // of column i: the same
};

/// Products of an inner dimension of 64 (fp4) are added in groups of 16, exactly, and scaled. These sums and C are cut
/// to 35 fraction bits below the largest scale. Others, of one scale a row, count with the scale's exponent.
void multiply_scaled(const MatrixProduct& product, const MatrixScales& scales, const DotModel& model);

}  // namespace warplens::simt
