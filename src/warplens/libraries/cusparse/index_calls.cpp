// cuSPARSE: calls about indices (sorting, compressing, permutations) and sparse vectors.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "warplens/libraries/cusparse/descriptors.h"
#include "warplens/libraries/math/sparse_entries.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

constexpr int kInt = sizeof(int);

int queue_indices(const SparseHandle* h, const char* what, int64_t count, std::vector<TouchedMemory> touches,
                  std::function<Status()> run) {
  return queue_sparse(
      h, {.name = fmt::format("{} {}", what, count), .touches = std::move(touches), .run = std::move(run)});
}

/// Orders `order` by `before` and carries the arrays along; `permutation` may be null.
template <typename Before>
void sort_along(size_t begin, size_t end, Before before, std::initializer_list<int*> arrays) {
  std::vector<size_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), before);
  for (int* array : arrays) {
    if (array == nullptr) continue;
    std::vector<int> moved(order.size());
    std::transform(order.begin(), order.end(), moved.begin(), [&](size_t from) { return array[from]; });
    std::copy(moved.begin(), moved.end(), array + begin);
  }
}

int sort_coordinates(const SparseHandle* h, int stored, int* first, int* second, int* permutation) {
  std::vector<TouchedMemory> touches;
  for (int* array : {first, second, permutation}) {
    if (array == nullptr) continue;
    touches.push_back(touched(array, stored, kInt, false));
    touches.push_back(touched(array, stored, kInt, true));
  }
  return queue_indices(h, "coosort", stored, std::move(touches), [=]() -> Status {
    sort_along(0, static_cast<size_t>(stored),
               [&](size_t x, size_t y) { return std::tie(first[x], second[x]) < std::tie(first[y], second[y]); },
               {first, second, permutation});
    return {};
  });
}

/// Within each compressed line.
int sort_lines(const SparseHandle* h, const MatrixKind* kind, int lines, int stored, const int* offsets, int* indices,
               int* permutation) {
  const int64_t base = kind == nullptr ? 0 : kind->base;
  std::vector<TouchedMemory> touches{touched(offsets, lines + 1, kInt, false), touched(indices, stored, kInt, true)};
  if (permutation != nullptr) touches.push_back(touched(permutation, stored, kInt, true));
  return queue_indices(h, "csrsort", stored, std::move(touches), [=]() -> Status {
    const Indices begins{const_cast<int*>(offsets), kInt, base};
    for (int line = 0; line < lines; ++line) {
      const int64_t begin = begins.at(line), end = begins.at(line + 1);
      if (begin < 0 || end > stored || begin > end) return invalid_input("offsets of lines go past their elements");
      sort_along(static_cast<size_t>(begin), static_cast<size_t>(end),
                 [&](size_t x, size_t y) { return indices[x] < indices[y]; }, {indices, permutation});
    }
    return {};
  });
}

struct Pair {
  SparseVectorDescriptor x;
  VectorDescriptor y;
};

/// Work on the elements of `y` that a sparse `x` names: the arrays of both, in and out.
template <typename F>
int queue_pair(const SparseHandle* h, const char* what, const SparseVectorDescriptor* x, const VectorDescriptor* y,
               bool writes_x, bool writes_y, F work) {
  if (h == nullptr) return kSparseNotInitialized;
  if (x == nullptr || y == nullptr) return kSparseInvalidValue;
  std::vector<TouchedMemory> touches{touched(x->indices.data, x->stored, x->indices.bytes, false),
                                     touched(x->values, x->stored, size_bytes(x->number), writes_x),
                                     touched(y->values, y->size, size_bytes(y->number), writes_y)};
  return queue_indices(
      h, what, x->stored, std::move(touches), [pair = Pair{*x, *y}, work, writes_x, writes_y]() -> Status {
        const auto& [sparse, dense] = pair;
        for (int64_t i = 0; i < sparse.stored; ++i) {
          const int64_t at = sparse.indices.at(i);
          if (at < 0 || at >= dense.size)
            return invalid_input(fmt::format("a sparse vector has the index {}, but it ends at {}", at, dense.size));
        }
        return with_precise(dense.number, [&]<typename T>(T) -> Status {
          std::vector<T> values(static_cast<size_t>(sparse.stored)), all(static_cast<size_t>(dense.size));
          load(sparse.number, sparse.values, 1, sparse.stored, values.data());
          load(dense.number, dense.values, 1, dense.size, all.data());
          work(sparse.indices, values, all);
          if (writes_x) store(values.data(), sparse.stored, sparse.number, sparse.values, 1);
          if (writes_y) store(all.data(), dense.size, dense.number, dense.values, 1);
          return {};
        });
      });
}

}  // namespace

CUDA_API int cusparseCreateIdentityPermutation(const SparseHandle* h, int n, int* p) {
  return queue_indices(h, "identity", n, {touched(p, n, kInt, true)}, [=]() -> Status {
    std::iota(p, p + n, 0);
    return {};
  });
}
CUDA_API int cusparseXcoo2csr(const SparseHandle* h, const int* rows, int stored, int m, int* offsets, int base) {
  return queue_indices(h, "coo2csr", stored, {touched(rows, stored, kInt, false), touched(offsets, m + 1, kInt, true)},
                       [=]() -> Status {
                         std::vector<int> counts(static_cast<size_t>(m) + 1);
                         for (int i = 0; i < stored; ++i) {
                           const int row = rows[i] - base;
                           if (row < 0 || row >= m)
                             return invalid_input(fmt::format("row {} of a matrix with {} rows", row, m));
                           ++counts[static_cast<size_t>(row) + 1];
                         }
                         std::partial_sum(counts.begin(), counts.end(), offsets);
                         for (int i = 0; i <= m; ++i) offsets[i] += base;
                         return {};
                       });
}
CUDA_API int cusparseXcsr2coo(const SparseHandle* h, const int* offsets, int stored, int m, int* rows, int base) {
  return queue_indices(h, "csr2coo", stored, {touched(offsets, m + 1, kInt, false), touched(rows, stored, kInt, true)},
                       [=]() -> Status {
                         for (int row = 0; row < m; ++row) {
                           const int begin = offsets[row] - base, end = offsets[row + 1] - base;
                           if (begin < 0 || end > stored)
                             return invalid_input("offsets of rows go past their elements");
                           for (int i = begin; i < end; ++i) rows[i] = row + base;
                         }
                         return {};
                       });
}
CUDA_API int cusparseXcoosort_bufferSizeExt(const SparseHandle* h, int, int, int, const int*, const int*,
                                            size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseXcoosortByRow(const SparseHandle* h, int, int, int stored, int* rows, int* columns, int* p,
                                   void*) {
  return sort_coordinates(h, stored, rows, columns, p);
}
CUDA_API int cusparseXcoosortByColumn(const SparseHandle* h, int, int, int stored, int* rows, int* columns, int* p,
                                      void*) {
  return sort_coordinates(h, stored, columns, rows, p);
}
CUDA_API int cusparseXcsrsort_bufferSizeExt(const SparseHandle* h, int, int, int, const int*, const int*,
                                            size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseXcsrsort(const SparseHandle* h, int m, int, int stored, const MatrixKind* kind, const int* offsets,
                              int* columns, int* p, void*) {
  return sort_lines(h, kind, m, stored, offsets, columns, p);
}
CUDA_API int cusparseXcscsort_bufferSizeExt(const SparseHandle* h, int, int, int, const int*, const int*,
                                            size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseXcscsort(const SparseHandle* h, int, int n, int stored, const MatrixKind* kind, const int* offsets,
                              int* rows, int* p, void*) {
  return sort_lines(h, kind, n, stored, offsets, rows, p);
}

CUDA_API int cusparseCsr2cscEx2_bufferSize(const SparseHandle* h, int, int, int, const void*, const int*, const int*,
                                           void*, int*, int*, int, int, int, int, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseCsr2cscEx2(const SparseHandle* h, int m, int n, int stored, const void* values, const int* offsets,
                                const int* columns, void* to_values, int* to_offsets, int* to_rows, int number,
                                int copies_values, int base, int, void*) {
  if (h == nullptr) return kSparseNotInitialized;
  const auto type = static_cast<Number>(number);
  const int bytes = size_bytes(type);
  if (bytes == 0) return kSparseNotSupported;
  SparseMatrix from, to;
  from.rows = to.columns = m;
  from.columns = to.rows = n;
  from.stored = to.stored = stored;
  from.outer = {const_cast<int*>(offsets), kInt, base};
  from.inner = {const_cast<int*>(columns), kInt, base};
  to.outer = {to_offsets, kInt, base};
  to.inner = {to_rows, kInt, base};
  std::vector<TouchedMemory> touches{touched(offsets, m + 1, kInt, false), touched(columns, stored, kInt, false),
                                     touched(to_offsets, n + 1, kInt, true), touched(to_rows, stored, kInt, true)};
  if (copies_values != 0) {
    touches.push_back(touched(values, stored, bytes, false));
    touches.push_back(touched(to_values, stored, bytes, true));
  }
  return queue_indices(h, "csr2csc", stored, std::move(touches), [=]() mutable -> Status {
    std::vector<double> unread(static_cast<size_t>(stored));
    from.values = unread.data();
    from.number = Number::kF64;
    WL_ASSIGN(const std::vector<Entry<double>> sorted, sorted_entries<double>(from, 1));
    const std::vector<size_t> begins = row_begins(sorted, n);
    for (int i = 0; i <= n; ++i) to.outer.set(i, static_cast<int64_t>(begins[static_cast<size_t>(i)]));
    for (int i = 0; i < stored; ++i) {
      const Entry<double>& entry = sorted[static_cast<size_t>(i)];
      to.inner.set(i, entry.column);
      if (copies_values != 0)
        std::copy_n(static_cast<const char*>(values) + entry.slot * bytes, bytes,
                    static_cast<char*>(to_values) + static_cast<int64_t>(i) * bytes);
    }
    return {};
  });
}

CUDA_API int cusparseGather(const SparseHandle* h, const VectorDescriptor* y, const SparseVectorDescriptor* x) {
  return queue_pair(h, "gather", x, y, true, false, [](const Indices& indices, auto& values, auto& all) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = all[static_cast<size_t>(indices.at(static_cast<int64_t>(i)))];
  });
}
CUDA_API int cusparseScatter(const SparseHandle* h, const SparseVectorDescriptor* x, const VectorDescriptor* y) {
  return queue_pair(h, "scatter", x, y, false, true, [](const Indices& indices, auto& values, auto& all) {
    for (size_t i = 0; i < values.size(); ++i)
      all[static_cast<size_t>(indices.at(static_cast<int64_t>(i)))] = values[i];
  });
}
CUDA_API int cusparseAxpby(const SparseHandle* h, const void* alpha, const SparseVectorDescriptor* x, const void* beta,
                           const VectorDescriptor* y) {
  if (h == nullptr) return kSparseNotInitialized;
  if (y == nullptr) return kSparseInvalidValue;
  const int number = static_cast<int>(y->number);
  const Scalar by = h->scalar(alpha, number), old = h->scalar(beta, number);
  return queue_pair(h, "axpby", x, y, false, true,
                    [by, old]<typename T>(const Indices& indices, std::vector<T>& values, std::vector<T>& all) {
                      const T factor = scalar_of<T>(by.now()), rest = scalar_of<T>(old.now());
                      for (T& value : all) value *= rest;
                      for (size_t i = 0; i < values.size(); ++i)
                        all[static_cast<size_t>(indices.at(static_cast<int64_t>(i)))] += factor * values[i];
                    });
}
CUDA_API int cusparseSpVV_bufferSize(const SparseHandle* h, int, const void*, const void*, const void*, int,
                                     size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSpVV(const SparseHandle* h, int op, const SparseVectorDescriptor* x, const VectorDescriptor* y,
                          void* result, int compute, void*) {
  return queue_pair(h, "spvv", x, y, false, false,
                    [=]<typename T>(const Indices& indices, std::vector<T>& values, std::vector<T>& all) {
                      T sum = 0;
                      for (size_t i = 0; i < values.size(); ++i) {
                        T value = values[i];
                        if constexpr (!std::is_floating_point_v<T>) value = op == 2 ? std::conj(value) : value;
                        sum += value * all[static_cast<size_t>(indices.at(static_cast<int64_t>(i)))];
                      }
                      store(&sum, 1, static_cast<Number>(compute), result, 1);
                    });
}
