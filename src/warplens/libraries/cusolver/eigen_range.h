// cuSOLVER's eigenvalues in a range, and those of pencils A x = w B x.
#pragma once
#include "warplens/libraries/cusolver/spectra.h"

namespace warplens::libraries {

/// Which eigenvalues are wanted. `kind`: as cusolverEigRange_t. Numbers count from 1.
struct EigenRange {
  enum Kind : int { kAll = 1001, kByNumber = 1002, kByValue = 1003 } kind = kAll;
  double above = 0, most = 0;
  int64_t first = 1, last = 0;

  bool is_valid(int64_t n) const {
    if (kind == kByNumber) return 1 <= first && first <= last && last <= n;
    return kind == kAll || (kind == kByValue && above < most);
  }
  bool contains(int64_t number, double value) const {
    if (kind == kByNumber) return first <= number && number <= last;
    return kind == kAll || (above < value && value <= most);
  }
};

/// Moves the wanted eigenvalues and their vectors to the front; how many there are.
template <typename T>
int64_t keep_range(const EigenRange& range, int64_t n, T* vectors, int64_t leading, RealOf<T>* w) {
  int64_t kept = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (!range.contains(k + 1, static_cast<double>(w[k]))) continue;
    w[kept] = w[k];
    if (vectors != nullptr && kept != k) std::copy_n(vectors + k * leading, n, vectors + kept * leading);
    ++kept;
  }
  return kept;
}

/// A symmetric or Hermitian matrix A; `b`: of a pencil, positive definite, whose Cholesky factor takes its place;
/// nullptr: none. `type`: as cusolverEigType_t, 1 is A x = w B x.
template <typename T>
struct RangedEigenproblem {
  int type, mode, fill;
  int64_t n;
  T* a;
  int64_t lda;
  T* b;
  int64_t ldb;
  RealOf<T>* w;
  EigenRange range;
  std::function<void(int64_t)> tell_count;
  int* info;
};

template <typename T>
Status solve_in_place(const RangedEigenproblem<T>& x) {
  const int n = static_cast<int>(x.n), lda = static_cast<int>(x.lda), ldb = static_cast<int>(x.ldb);
  const char vectors = vectors_letter(x.mode), fill = fill_letter(x.fill);
  if (x.b == nullptr || n == 0) return eigen_in_place(vectors, fill, n, x.a, lda, x.w, x.info);
  return with_sized_work<T>([&](T* work, int lwork, RealOf<T>* rwork, int lrwork, int* iwork, int liwork) {
    if constexpr (kIsComplexNumber<T>)
      return lapack<T>("hegvd", x.type, vectors, fill, n, x.a, lda, x.b, ldb, x.w, work, lwork, rwork, lrwork, iwork,
                       liwork, x.info);
    else
      return lapack<T>("sygvd", x.type, vectors, fill, n, x.a, lda, x.b, ldb, x.w, work, lwork, iwork, liwork, x.info);
  });
}

template <typename T>
int eigen_in_range(SolverHandle* h, const RangedEigenproblem<T>& x) {
  const bool pencil = x.b != nullptr, right_type = !pencil || (x.type >= 1 && x.type <= 3);
  const double size = static_cast<double>(x.n);
  const bool valid = fits({x.n, x.lda, x.ldb}) && x.lda >= std::max<int64_t>(x.n, 1) &&
                     (!pencil || x.ldb >= std::max<int64_t>(x.n, 1)) && vectors_letter(x.mode) != 0 &&
                     fill_letter(x.fill) != 0 && right_type && x.range.is_valid(x.n) && x.info != nullptr;
  const char* const name = pencil                ? (kIsComplexNumber<T> ? "hegvd" : "sygvd")
                           : kIsComplexNumber<T> ? "heevdx"
                                                 : "syevdx";
  return queue_solver(h, valid,
                      {.operation = name,
                       .number = kNumberOf<T>,
                       .sizes = {x.n, x.n},
                       .flops = (pencil ? 14 : 9) * size * size * size,
                       .touches =
                           [=] {
                             std::vector out{matrix(x.a, x.n, x.n, x.lda, true), matrix(x.w, x.n, 1, x.n, true)};
                             if (pencil) out.push_back(matrix(x.b, x.n, x.n, x.ldb, true));
                             return out;
                           },
                       .run = [=]() -> Status {
                         WL_TRY(solve_in_place(x));
                         const bool failed = *x.info != 0;
                         T* const vectors = vectors_letter(x.mode) == 'V' ? x.a : nullptr;
                         const int64_t kept = failed ? 0 : keep_range(x.range, x.n, vectors, x.lda, x.w);
                         if (x.tell_count) x.tell_count(kept);
                         return {};
                       }});
}

}  // namespace warplens::libraries
