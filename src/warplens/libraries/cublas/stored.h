// Matrices that cuBLAS keeps in part: triangles, symmetric matrices, bands, packed ones.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "warplens/libraries/cublas/vectors.h"

namespace warplens::libraries {

enum class Layout : uint8_t { kFull, kBand, kPacked };
enum class Structure : uint8_t { kAll, kSymmetric, kHermitian, kTriangle };

/// The elements that are kept, column by column. `below` and `above`: how many diagonals are kept on either side.
struct Stored {
  Structure structure = Structure::kAll;
  Layout layout = Layout::kFull;
  bool upper = false, unit = false;
  int64_t rows = 0, columns = 0, leading = 0, below = 0, above = 0;

  /// Errors of arguments are left to is_valid.
  static Stored band(int64_t rows, int64_t columns, int64_t below, int64_t above, int64_t leading) {
    return {Structure::kAll, Layout::kBand, false, false, rows, columns, leading, below, above};
  }
  /// `fill`: as cublasFillMode_t, 1 is the upper triangle. `diagonals`: of a band, beside the main one.
  static Stored triangle(Structure structure, Layout layout, int fill, int64_t order, int64_t leading,
                         int64_t diagonals) {
    const int64_t kept = layout == Layout::kBand ? diagonals : order;
    return {structure, layout, fill == 1, false, order, order, leading, fill == 1 ? 0 : kept, fill == 1 ? kept : 0};
  }
  bool is_valid() const {
    const int64_t least = layout == Layout::kBand ? below + above + 1 : std::max<int64_t>(rows, 1);
    return rows >= 0 && columns >= 0 && below >= 0 && above >= 0 && (layout == Layout::kPacked || leading >= least);
  }
  /// The first kept row of a column, and the one behind the last.
  std::pair<int64_t, int64_t> kept_rows(int64_t column) const {
    return {std::max<int64_t>(column - above, 0), std::min(rows, column + below + 1)};
  }
  /// Where a kept element lies.
  int64_t place(int64_t i, int64_t j) const {
    switch (layout) {
      case Layout::kBand: return j * leading + above + i - j;
      case Layout::kPacked: return upper ? j * (j + 1) / 2 + i : j * (2 * rows - j - 1) / 2 + i;
      case Layout::kFull: break;
    }
    return j * leading + i;
  }
};

/// Sums here are wider than on the GPU, whose order is its own.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;

/// op(A), with the elements that follow from the kept ones.
template <typename T>
struct Elements {
  const T* data;
  Stored stored;
  int op = 0;  // as cublasOperation_t

  bool is_mirrored() const {
    return stored.structure == Structure::kSymmetric || stored.structure == Structure::kHermitian;
  }
  /// The first column of a row that can be other than 0, and the one behind the last.
  std::pair<int64_t, int64_t> columns(int64_t row) const {
    const int64_t most = std::max(stored.below, stored.above);
    int64_t before = is_mirrored() ? most : stored.below, behind = is_mirrored() ? most : stored.above;
    if (op != 0) std::swap(before, behind);
    return {std::max<int64_t>(row - before, 0), std::min(op == 0 ? stored.columns : stored.rows, row + behind + 1)};
  }
  Wide<T> operator()(int64_t i, int64_t j) const {
    const Wide<T> value = op == 0 ? of_a(i, j) : of_a(j, i);
    return op == 2 ? conjugate(value) : value;
  }

 private:
  Wide<T> of_a(int64_t i, int64_t j) const {
    if (stored.unit && i == j) return 1;
    const bool mirrored = is_mirrored() && (stored.upper ? i > j : i < j);
    const Wide<T> value(data[mirrored ? stored.place(j, i) : stored.place(i, j)]);
    if (stored.structure != Structure::kHermitian) return value;
    return i == j ? Wide<T>(std::real(value)) : mirrored ? conjugate(value) : value;
  }
};

/// The kept elements, as memory that is read or written.
template <typename T>
std::vector<TouchedMemory> touched_elements(const void* data, const Stored& stored, bool written) {
  std::vector<TouchedMemory> out;
  for (int64_t j = 0; j < stored.columns; ++j) {
    const auto [first, end] = stored.kept_rows(j);
    if (first < end)
      out.push_back(
          touched_vector(static_cast<const T*>(data) + stored.place(first, j), sizeof(T), end - first, 1, written));
  }
  return out;
}

}  // namespace warplens::libraries
