// The epilogue of a matrix product: scaling, adding C and a bias, activations, gradients of a bias, rounding into D.
#pragma once
#include <vector>

#include "warplens/libraries/math/product.h"

namespace warplens::libraries {

/// `sums`: op(A) op(B), m by n, column by column. T: as load()'s.
template <typename T>
void finish(const Product& product, int64_t batch, T alpha, T beta, std::vector<T>* sums);

}  // namespace warplens::libraries
