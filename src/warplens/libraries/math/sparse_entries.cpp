#include "warplens/libraries/math/sparse_entries.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "warplens/base/text.h"

namespace warplens::libraries {
namespace {

using C64 = std::complex<double>;

template <typename I>
int64_t index_at(const void* data, int64_t i) {
  I value;
  std::memcpy(&value, static_cast<const char*>(data) + i * static_cast<int64_t>(sizeof(I)), sizeof value);
  return static_cast<int64_t>(value);
}
template <typename I>
void set_index(void* data, int64_t i, int64_t to) {
  const I value = static_cast<I>(to);
  std::memcpy(static_cast<char*>(data) + i * static_cast<int64_t>(sizeof(I)), &value, sizeof value);
}

template <typename T>
T conjugated(T value) {
  if constexpr (std::is_floating_point_v<T>) return value;
  else return std::conj(value);
}

/// One matrix of a batch, alone.
SparseMatrix one_of(const SparseMatrix& a, int64_t batch) {
  SparseMatrix out = a;
  const auto moved = [&](void* data, int64_t elements, int bytes) {
    return data == nullptr ? data : static_cast<char*>(data) + elements * bytes;
  };
  out.outer.data = moved(a.outer.data, batch * a.outer_step, a.outer.bytes);
  out.inner.data = moved(a.inner.data, batch * a.inner_step, a.inner.bytes);
  out.values = moved(a.values, batch * a.value_step, size_bytes(a.number));
  return out;
}

Status outside(const char* what, int64_t value, int64_t end) {
  return invalid_input(fmt::format("a sparse matrix has the {} {}, but it ends at {}", what, value, end));
}

/// Calls `use` with row, column and number of each stored block.
template <typename F>
Status each_block(const SparseMatrix& a, F use) {
  const bool by_columns = a.layout == SparseLayout::kCsc;
  const int64_t outer_end = by_columns ? a.columns : a.rows, inner_end = by_columns ? a.rows : a.columns;
  const auto take = [&](int64_t outer, int64_t slot) -> Status {
    const int64_t inner = a.inner.at(slot);
    if (inner < 0 || inner >= inner_end) return outside(by_columns ? "row" : "column", inner, inner_end);
    if (by_columns) use(inner, outer, slot);
    else use(outer, inner, slot);
    return {};
  };
  if (a.layout == SparseLayout::kCoo) {
    for (int64_t slot = 0; slot < a.stored; ++slot) {
      const int64_t row = a.outer.at(slot);
      if (row < 0 || row >= outer_end) return outside("row", row, outer_end);
      WL_TRY(take(row, slot));
    }
    return {};
  }
  for (int64_t outer = 0; outer < outer_end; ++outer) {
    const int64_t begin = a.outer.at(outer), end = a.outer.at(outer + 1);
    if (begin < 0 || end > a.stored) return outside("offset", begin < 0 ? begin : end, a.stored);
    for (int64_t slot = begin; slot < end; ++slot) WL_TRY(take(outer, slot));
  }
  return {};
}

}  // namespace

int64_t Indices::at(int64_t i) const {
  const int64_t value = bytes == 8   ? index_at<int64_t>(data, i)
                        : bytes == 4 ? index_at<int32_t>(data, i)
                                     : index_at<uint16_t>(data, i);
  return value - base;
}

void Indices::set(int64_t i, int64_t value) const {
  if (bytes == 8) set_index<int64_t>(data, i, value + base);
  else if (bytes == 4) set_index<int32_t>(data, i, value + base);
  else set_index<uint16_t>(data, i, value + base);
}

int64_t SparseMatrix::outer_count() const {
  return layout == SparseLayout::kCoo ? stored : (layout == SparseLayout::kCsc ? columns : rows) + 1;
}

template <typename T>
Result<std::vector<Entry<T>>> entries(const SparseMatrix& whole, int op, int64_t batch) {
  const SparseMatrix a = one_of(whole, batch);
  std::vector<T> values(static_cast<size_t>(a.value_count()));
  load(a.number, a.values, 1, a.value_count(), values.data());
  std::vector<Entry<T>> out;
  out.reserve(values.size());
  WL_TRY(each_block(a, [&](int64_t block_row, int64_t block_column, int64_t block) {
    for (int64_t i = 0; i < a.block_size(); ++i) {
      const int64_t line = a.blocks_by_column ? a.block_rows : a.block_columns;
      const int64_t row = block_row * a.block_rows + (a.blocks_by_column ? i % line : i / line);
      const int64_t column = block_column * a.block_columns + (a.blocks_by_column ? i / line : i % line);
      const int64_t slot = block * a.block_size() + i;
      const T value = values[static_cast<size_t>(slot)];
      if (op == 0) out.push_back({row, column, slot, value});
      else out.push_back({column, row, slot, op == 2 ? conjugated(value) : value});
    }
  }));
  return out;
}

template <typename T>
Result<std::vector<Entry<T>>> sorted_entries(const SparseMatrix& a, int op, int64_t batch) {
  WL_ASSIGN(std::vector<Entry<T>> out, entries<T>(a, op, batch));
  std::stable_sort(out.begin(), out.end(), [](const Entry<T>& x, const Entry<T>& y) {
    return std::tie(x.row, x.column) < std::tie(y.row, y.column);
  });
  return out;
}

template <typename T>
std::vector<size_t> row_begins(const std::vector<Entry<T>>& sorted, int64_t rows) {
  std::vector<size_t> out(static_cast<size_t>(rows) + 1);
  for (const Entry<T>& entry : sorted) ++out[static_cast<size_t>(entry.row) + 1];
  for (size_t i = 1; i < out.size(); ++i) out[i] += out[i - 1];
  return out;
}

template <typename T>
std::vector<T> dense_rows(const Matrix& matrix, int64_t batch, int64_t rows, int64_t columns) {
  std::vector<T> out(static_cast<size_t>(rows * columns));
  const char* data = static_cast<const char*>(matrix.of(batch));
  for (int64_t i = 0; i < rows; ++i)
    load(matrix.number, data + i * matrix.row_step * size_bytes(matrix.number), matrix.column_step, columns,
         out.data() + i * columns);
  if (matrix.conjugate) std::transform(out.begin(), out.end(), out.begin(), conjugated<T>);
  return out;
}

template <typename T>
void store_rows(const std::vector<T>& values, const Matrix& matrix, int64_t batch, int64_t rows, int64_t columns) {
  char* data = static_cast<char*>(matrix.of(batch));
  for (int64_t i = 0; i < rows; ++i)
    store(values.data() + i * columns, columns, matrix.number, data + i * matrix.row_step * size_bytes(matrix.number),
          matrix.column_step);
}

#define FOR(T)                                                                              \
  template Result<std::vector<Entry<T>>> entries(const SparseMatrix&, int, int64_t);        \
  template Result<std::vector<Entry<T>>> sorted_entries(const SparseMatrix&, int, int64_t); \
  template std::vector<size_t> row_begins(const std::vector<Entry<T>>&, int64_t);           \
  template std::vector<T> dense_rows(const Matrix&, int64_t, int64_t, int64_t);             \
  template void store_rows(const std::vector<T>&, const Matrix&, int64_t, int64_t, int64_t);
FOR(double)
FOR(C64)
#undef FOR

}  // namespace warplens::libraries
