// cuSOLVER's factorisations and their solvers, for all forms of their calls.
#pragma once
#include <numeric>

#include "warplens/libraries/cusolver/handle.h"
#include "warplens/libraries/math/unpivoted.h"

namespace warplens::libraries {

/// LAPACK counts with 32 bits here.
inline bool fits(std::initializer_list<int64_t> sizes) {
  return std::ranges::all_of(sizes, [](int64_t size) { return size >= 0 && size <= INT32_MAX; });
}
template <typename T>
TouchedMemory matrix(const T* data, int64_t rows, int64_t columns, int64_t leading, bool written) {
  return touched_matrix(data, sizeof(T), rows, columns, leading, written);
}

/// `pivots` nullptr: rows stay in place.
template <typename T>
int getrf(SolverHandle* h, int64_t m, int64_t n, T* a, int64_t lda, int* pivots, int* info) {
  const auto rows = static_cast<double>(m), columns = static_cast<double>(n);
  return queue_solver(h, fits({m, n, lda}) && info != nullptr,
                      {.operation = "getrf",
                       .number = kNumberOf<T>,
                       .sizes = {m, n},
                       .flops = 2 * rows * columns * std::min(rows, columns),
                       .touches = [=] { return std::vector{matrix(a, m, n, lda, true), matrix(info, 1, 1, 1, true)}; },
                       .run = [=]() -> Status {
                         if (pivots == nullptr) return *info = factor_in_place(m, n, a, lda), Status();
                         return lapack<T>("getrf", static_cast<int>(m), static_cast<int>(n), a, static_cast<int>(lda),
                                          pivots, info);
                       }});
}

template <typename T>
int getrs(SolverHandle* h, int op, int64_t n, int64_t columns, const T* a, int64_t lda, const int* pivots, T* b,
          int64_t ldb, int* info) {
  const auto size = static_cast<double>(n);
  return queue_solver(
      h, fits({n, columns, lda, ldb}) && operation_letter(op) != 0 && info != nullptr,
      {.operation = "getrs",
       .number = kNumberOf<T>,
       .sizes = {n, columns},
       .flops = 2 * size * size * static_cast<double>(columns),
       .touches = [=] { return std::vector{matrix(a, n, n, lda, false), matrix(b, n, columns, ldb, true)}; },
       .run = [=]() -> Status {
         std::vector<int> own(static_cast<size_t>(n));
         std::iota(own.begin(), own.end(), 1);
         if (pivots != nullptr) std::copy_n(pivots, n, own.begin());
         return lapack<T>("getrs", operation_letter(op), static_cast<int>(n), static_cast<int>(columns), a,
                          static_cast<int>(lda), static_cast<const int*>(own.data()), b, static_cast<int>(ldb), info);
       }});
}

template <typename T>
int potrf(SolverHandle* h, int fill, int64_t n, T* a, int64_t lda, int* info) {
  const auto size = static_cast<double>(n);
  return queue_solver(
      h, fits({n, lda}) && fill_letter(fill) != 0 && info != nullptr,
      {.operation = "potrf",
       .number = kNumberOf<T>,
       .sizes = {n, n},
       .flops = size * size * size / 3,
       .touches = [=] { return std::vector{matrix(a, n, n, lda, true), matrix(info, 1, 1, 1, true)}; },
       .run =
           [=] { return lapack<T>("potrf", fill_letter(fill), static_cast<int>(n), a, static_cast<int>(lda), info); }});
}

template <typename T>
int potrs(SolverHandle* h, int fill, int64_t n, int64_t columns, const T* a, int64_t lda, T* b, int64_t ldb,
          int* info) {
  const auto size = static_cast<double>(n);
  return queue_solver(
      h, fits({n, columns, lda, ldb}) && fill_letter(fill) != 0 && info != nullptr,
      {.operation = "potrs",
       .number = kNumberOf<T>,
       .sizes = {n, columns},
       .flops = 2 * size * size * static_cast<double>(columns),
       .touches = [=] { return std::vector{matrix(a, n, n, lda, false), matrix(b, n, columns, ldb, true)}; },
       .run =
           [=] {
             return lapack<T>("potrs", fill_letter(fill), static_cast<int>(n), static_cast<int>(columns), a,
                              static_cast<int>(lda), b, static_cast<int>(ldb), info);
           }});
}

template <typename T>
int geqrf(SolverHandle* h, int64_t m, int64_t n, T* a, int64_t lda, T* tau, int* info) {
  const auto rows = static_cast<double>(m), columns = static_cast<double>(n);
  return queue_solver(h, fits({m, n, lda}) && info != nullptr,
                      {.operation = "geqrf",
                       .number = kNumberOf<T>,
                       .sizes = {m, n},
                       .flops = 2 * rows * columns * std::min(rows, columns),
                       .touches =
                           [=] {
                             return std::vector{matrix(a, m, n, lda, true),
                                                matrix(tau, std::min(m, n), 1, std::min(m, n), true)};
                           },
                       .run =
                           [=] {
                             return lapack_with_work<T>("geqrf", info, static_cast<int>(m), static_cast<int>(n), a,
                                                        static_cast<int>(lda), tau);
                           }});
}

}  // namespace warplens::libraries
