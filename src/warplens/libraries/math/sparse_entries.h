// The elements of a sparse matrix, in any layout.
#pragma once
#include <type_traits>
#include <vector>

#include "warplens/libraries/math/sparse.h"

namespace warplens::libraries {

template <typename T>
struct Entry {
  int64_t row, column;
  int64_t slot;  // its place among the matrix's values
  T value;
};

/// All elements of op(A), of one matrix of the batch, in the order in which they are stored. Error: an index outside of
/// the matrix.
template <typename T>
Result<std::vector<Entry<T>>> entries(const SparseMatrix& a, int op = 0, int64_t batch = 0);

/// The same, in the order of rows and then columns.
template <typename T>
Result<std::vector<Entry<T>>> sorted_entries(const SparseMatrix& a, int op = 0, int64_t batch = 0);

/// Where each row begins in sorted entries; the last element is their number.
template <typename T>
std::vector<size_t> row_begins(const std::vector<Entry<T>>& sorted, int64_t rows);

/// A dense matrix by rows, conjugated where it is seen so.
template <typename T>
std::vector<T> dense_rows(const Matrix& matrix, int64_t batch, int64_t rows, int64_t columns);
template <typename T>
void store_rows(const std::vector<T>& values, const Matrix& matrix, int64_t batch, int64_t rows, int64_t columns);

template <typename T>
T scalar_of(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<T>) return value.real();
  else return value;
}

/// Calls `use` with the type in which elements of `number` are computed.
template <typename F>
auto with_precise(Number number, F use) {
  return is_complex(number) ? use(std::complex<double>()) : use(double());
}

}  // namespace warplens::libraries
