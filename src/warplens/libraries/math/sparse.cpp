#include "warplens/libraries/math/sparse.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/libraries/math/sparse_entries.h"

namespace warplens::libraries {
namespace {

template <typename T>
Status multiply_dense(const SparseProduct& p) {
  const bool turned = p.op != 0;
  const int64_t rows = turned ? p.a.columns * p.a.block_columns : p.a.rows * p.a.block_rows;
  const int64_t depth = turned ? p.a.rows * p.a.block_rows : p.a.columns * p.a.block_columns, n = p.columns;
  const T alpha = scalar_of<T>(p.alpha), beta = scalar_of<T>(p.beta);
  for (int64_t batch = 0; batch < p.batches; ++batch) {
    WL_ASSIGN(const std::vector<Entry<T>> all, entries<T>(p.a, p.op, p.a.batches > 1 ? batch : 0));
    const std::vector<T> b = dense_rows<T>(p.b, batch, depth, n);
    std::vector<T> sums(static_cast<size_t>(rows * n));
    for (const Entry<T>& entry : all) {
      T* to = sums.data() + entry.row * n;
      const T* from = b.data() + entry.column * n;
      for (int64_t j = 0; j < n; ++j) to[j] += entry.value * from[j];
    }
    for (T& sum : sums) sum *= alpha;
    if (p.beta != 0.0) {
      const std::vector<T> old = dense_rows<T>(p.c, batch, rows, n);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += beta * old[i];
    }
    store_rows(sums, p.c, batch, rows, n);
  }
  return {};
}

template <typename T>
Status multiply_sampled(const SampledProduct& p) {
  const int64_t rows = p.c.rows * p.c.block_rows, columns = p.c.columns * p.c.block_columns;
  const T alpha = scalar_of<T>(p.alpha), beta = scalar_of<T>(p.beta);
  Matrix turned = p.b;
  std::swap(turned.row_step, turned.column_step);
  for (int64_t batch = 0; batch < p.batches; ++batch) {
    const int64_t c_batch = p.c.batches > 1 ? batch : 0;
    WL_ASSIGN(const std::vector<Entry<T>> all, entries<T>(p.c, 0, c_batch));
    const std::vector<T> a = dense_rows<T>(p.a, batch, rows, p.depth);
    const std::vector<T> b = dense_rows<T>(turned, batch, columns, p.depth);
    std::vector<T> values(static_cast<size_t>(p.c.value_count()));
    for (const Entry<T>& entry : all) {
      const T *row = a.data() + entry.row * p.depth, *column = b.data() + entry.column * p.depth;
      T sum = 0;
      for (int64_t k = 0; k < p.depth; ++k) sum += row[k] * column[k];
      values[static_cast<size_t>(entry.slot)] = alpha * sum + (p.beta == 0.0 ? T(0) : beta * entry.value);
    }
    char* to = static_cast<char*>(p.c.values) + c_batch * p.c.value_step * size_bytes(p.c.number);
    store(values.data(), static_cast<int64_t>(values.size()), p.c.number, to, 1);
  }
  return {};
}

template <typename T>
Status solve_triangle(const SparseSolve& s, int64_t* zero_pivot) {
  const int64_t rows = s.a.rows * s.a.block_rows, n = s.columns;
  const bool upper = s.upper != (s.op != 0);
  const T alpha = scalar_of<T>(s.alpha);
  WL_ASSIGN(const std::vector<Entry<T>> sorted, sorted_entries<T>(s.a, s.op));
  const std::vector<size_t> begins = row_begins(sorted, rows);
  if (zero_pivot != nullptr) *zero_pivot = -1;
  std::vector<T> x = dense_rows<T>(s.b, 0, rows, n);
  for (T& value : x) value *= alpha;
  for (int64_t step = 0; step < rows; ++step) {
    const int64_t row = upper ? rows - 1 - step : step;
    T* to = x.data() + row * n;
    T diagonal = s.unit_diagonal ? T(1) : T(0);
    for (size_t i = begins[static_cast<size_t>(row)]; i < begins[static_cast<size_t>(row) + 1]; ++i) {
      const Entry<T>& entry = sorted[i];
      if (entry.column == row && !s.unit_diagonal) diagonal += entry.value;
      if (upper ? entry.column <= row : entry.column >= row) continue;
      const T* from = x.data() + entry.column * n;
      for (int64_t j = 0; j < n; ++j) to[j] -= entry.value * from[j];
    }
    if (diagonal == T(0) && zero_pivot != nullptr && (*zero_pivot < 0 || row < *zero_pivot)) *zero_pivot = row;
    for (int64_t j = 0; j < n; ++j) to[j] /= diagonal;
  }
  store_rows(x, s.x, 0, rows, n);
  return {};
}

/// Collects rows of a result, each in any order, elements of one column added up.
template <typename T>
class RowBuilder {
 public:
  explicit RowBuilder(Number number) : number_(number) {}
  void add(int64_t column, T value) {
    const auto [place, is_new] = row_.try_emplace(column, value);
    if (!is_new) place->second += value;
  }
  void end_row() {
    for (const auto& [column, value] : row_) {
      out_.columns.push_back(column);
      values_.push_back(value);
    }
    row_.clear();
    out_.offsets.push_back(out_.stored());
  }
  CompressedRows take() {
    out_.values.resize(values_.size() * static_cast<size_t>(size_bytes(number_)));
    store(values_.data(), out_.stored(), number_, out_.values.data(), 1);
    return std::move(out_);
  }

 private:
  Number number_;
  CompressedRows out_{{0}, {}, {}};
  std::map<int64_t, T> row_;
  std::vector<T> values_;
};

template <typename T>
Result<CompressedRows> multiply_as(const SparseMatrix& a, int op_a, const SparseMatrix& b, int op_b, T alpha) {
  WL_ASSIGN(const std::vector<Entry<T>> left, sorted_entries<T>(a, op_a));
  WL_ASSIGN(const std::vector<Entry<T>> right, sorted_entries<T>(b, op_b));
  const int64_t rows = op_a == 0 ? a.rows : a.columns;
  const std::vector<size_t> begins = row_begins(left, rows), inner = row_begins(right, op_b == 0 ? b.rows : b.columns);
  RowBuilder<T> out(a.number);
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
    for (size_t i = begins[row]; i < begins[row + 1]; ++i) {
      const auto depth = static_cast<size_t>(left[i].column);
      if (depth + 1 >= inner.size()) return invalid_input("sparse matrices whose inner dimensions differ");
      for (size_t j = inner[depth]; j < inner[depth + 1]; ++j)
        out.add(right[j].column, alpha * left[i].value * right[j].value);
    }
    out.end_row();
  }
  return out.take();
}

template <typename T>
Result<CompressedRows> add_as(const SparseMatrix& a, const SparseMatrix& b, T alpha, T beta) {
  WL_ASSIGN(const std::vector<Entry<T>> left, sorted_entries<T>(a));
  WL_ASSIGN(const std::vector<Entry<T>> right, sorted_entries<T>(b));
  const std::vector<size_t> begins = row_begins(left, a.rows), others = row_begins(right, a.rows);
  RowBuilder<T> out(a.number);
  for (size_t row = 0; row < static_cast<size_t>(a.rows); ++row) {
    for (size_t i = begins[row]; i < begins[row + 1]; ++i) out.add(left[i].column, alpha * left[i].value);
    for (size_t i = others[row]; i < others[row + 1]; ++i) out.add(right[i].column, beta * right[i].value);
    out.end_row();
  }
  return out.take();
}

}  // namespace

Status run(const SparseProduct& product) {
  return with_precise(product.c.number, [&]<typename T>(T) { return multiply_dense<T>(product); });
}

Status run(const SampledProduct& product) {
  return with_precise(product.c.number, [&]<typename T>(T) { return multiply_sampled<T>(product); });
}

Status run(const SparseSolve& solve, int64_t* zero_pivot) {
  return with_precise(solve.a.number, [&]<typename T>(T) { return solve_triangle<T>(solve, zero_pivot); });
}

void CompressedRows::store_to(const SparseMatrix& to) const {
  const bool coo = to.layout == SparseLayout::kCoo;
  for (size_t row = 0; row + 1 < offsets.size(); ++row)
    for (int64_t i = offsets[row]; coo && i < offsets[row + 1]; ++i) to.outer.set(i, static_cast<int64_t>(row));
  for (size_t row = 0; !coo && row < offsets.size(); ++row) to.outer.set(static_cast<int64_t>(row), offsets[row]);
  for (int64_t i = 0; i < stored(); ++i) to.inner.set(i, columns[static_cast<size_t>(i)]);
  std::copy(values.begin(), values.end(), static_cast<char*>(to.values));
}

Result<CompressedRows> multiply(const SparseMatrix& a, int op_a, const SparseMatrix& b, int op_b,
                                std::complex<double> alpha) {
  return with_precise(a.number, [&]<typename T>(T) { return multiply_as<T>(a, op_a, b, op_b, scalar_of<T>(alpha)); });
}

Result<CompressedRows> add(const SparseMatrix& a, const SparseMatrix& b, std::complex<double> alpha,
                           std::complex<double> beta) {
  return with_precise(a.number,
                      [&]<typename T>(T) { return add_as<T>(a, b, scalar_of<T>(alpha), scalar_of<T>(beta)); });
}

Status to_dense(const SparseMatrix& a, const Matrix& dense) {
  return with_precise(a.number, [&]<typename T>(T) -> Status {
    const int64_t rows = a.rows * a.block_rows, columns = a.columns * a.block_columns;
    WL_ASSIGN(const std::vector<Entry<T>> all, entries<T>(a));
    std::vector<T> values(static_cast<size_t>(rows * columns));
    for (const Entry<T>& entry : all) values[static_cast<size_t>(entry.row * columns + entry.column)] += entry.value;
    store_rows(values, dense, 0, rows, columns);
    return {};
  });
}

Result<CompressedRows> from_dense(const Matrix& dense, int64_t rows, int64_t columns) {
  return with_precise(dense.number, [&]<typename T>(T) -> Result<CompressedRows> {
    const std::vector<T> values = dense_rows<T>(dense, 0, rows, columns);
    RowBuilder<T> out(dense.number);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const T value = values[static_cast<size_t>(row * columns + column)];
        if (value != T(0)) out.add(column, value);
      }
      out.end_row();
    }
    return out.take();
  });
}

}  // namespace warplens::libraries
