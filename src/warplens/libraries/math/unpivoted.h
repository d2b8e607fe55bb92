// LU factors where the rows stay where they are, which LAPACK has no function for.
#pragma once
#include <algorithm>
#include <cstdint>

namespace warplens::libraries {

/// Factorises a column-major matrix of m rows and n columns, in place. Returns LAPACK's `info`: the first zero pivot,
/// counted from 1, or 0.
template <typename T>
int factor_in_place(int64_t m, int64_t n, T* a, int64_t lda) {
  int info = 0;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    const T pivot = a[k + k * lda];
    if (pivot == T(0) && info == 0) info = static_cast<int>(k + 1);
    for (int64_t i = k + 1; i < m; ++i) {
      T& factor = a[i + k * lda];
      factor /= pivot;
      for (int64_t j = k + 1; j < n; ++j) a[i + j * lda] -= factor * a[k + j * lda];
    }
  }
  return info;
}

}  // namespace warplens::libraries
