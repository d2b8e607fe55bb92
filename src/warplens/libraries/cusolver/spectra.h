// cuSOLVER's eigenvalues and singular values, for all forms of their calls. LAPACK overwrites its input, which some of
// the calls must keep.
#pragma once
#include "warplens/libraries/cusolver/factors.h"

namespace warplens::libraries {

template <typename T>
inline constexpr bool kIsComplexNumber = !std::is_floating_point_v<T>;
template <typename T>
using RealOf = decltype(std::real(T()));

/// Calls a LAPACK function that takes workspaces for reals (complex matrices only) and for integers after its main one,
/// each with its size. `call(work, lwork, rwork, lrwork, iwork, liwork)` is called for the sizes, then for the work.
template <typename T, typename F>
Status with_sized_work(F call) {
  T work = 0;
  RealOf<T> real_work = 0;
  int integer_work = 0;
  WL_TRY(call(&work, -1, &real_work, -1, &integer_work, -1));
  const auto at_least_one = [](auto size) { return static_cast<size_t>(std::max(1, static_cast<int>(size))); };
  std::vector<T> works(at_least_one(std::real(work)));
  std::vector<RealOf<T>> reals(at_least_one(real_work));
  std::vector<int> integers(at_least_one(integer_work));
  return call(works.data(), static_cast<int>(works.size()), reals.data(), static_cast<int>(reals.size()),
              integers.data(), static_cast<int>(integers.size()));
}

/// Eigenvalues of a symmetric or Hermitian matrix; its eigenvectors in place of it.
template <typename T>
Status eigen_in_place(char vectors, char fill, int n, T* a, int lda, RealOf<T>* w, int* info) {
  if (n == 0) return *info = 0, Status();
  return with_sized_work<T>([&](T* work, int lwork, RealOf<T>* rwork, int lrwork, int* iwork, int liwork) {
    if constexpr (kIsComplexNumber<T>)
      return lapack<T>("heevd", vectors, fill, n, a, lda, w, work, lwork, rwork, lrwork, iwork, liwork, info);
    else return lapack<T>("syevd", vectors, fill, n, a, lda, w, work, lwork, iwork, liwork, info);
  });
}

/// `count` matrices, one after another.
template <typename T>
int syevd(SolverHandle* h, int mode, int fill, int64_t n, T* a, int64_t lda, RealOf<T>* w, int* infos, int64_t count) {
  const auto size = static_cast<double>(n);
  const int columns = static_cast<int>(n * count);
  return queue_solver(
      h, fits({n, lda, count, n * count}) && vectors_letter(mode) != 0 && fill_letter(fill) != 0 && infos != nullptr,
      {.operation = kIsComplexNumber<T> ? "heevd" : "syevd",
       .number = kNumberOf<T>,
       .sizes = {n, n},
       .batches = count,
       .flops = 9 * size * size * size * static_cast<double>(count),
       .touches = [=] { return std::vector{matrix(a, n, columns, lda, true), matrix(w, n, count, n, true)}; },
       .run = [=]() -> Status {
         for (int64_t i = 0; i < count; ++i)
           WL_TRY(eigen_in_place(vectors_letter(mode), fill_letter(fill), static_cast<int>(n), a + i * lda * n,
                                 static_cast<int>(lda), w + i * n, infos + i));
         return {};
       }});
}

/// A = U S V^H of a matrix that is kept. `u` has `u_columns` columns and `v` (not transposed) `v_columns`; if these are
/// more than min(m, n), they complete the space. nullptr: not wanted.
template <typename T>
struct SingularValues {
  int m, n;
  const T* a;
  int64_t lda;
  RealOf<T>* s;
  T* u;
  int64_t ldu, u_columns;
  T* v;
  int64_t ldv, v_columns;
  int* info;
};

template <typename T>
void transpose_to(const std::vector<T>& vt, int64_t rows, int64_t n, T* v, int64_t ldv) {
  for (int64_t j = 0; j < rows; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      const T value = vt[static_cast<size_t>(j + i * rows)];
      if constexpr (kIsComplexNumber<T>) v[i + j * ldv] = std::conj(value);
      else v[i + j * ldv] = value;
    }
  }
}

template <typename T>
Status singular_values(const SingularValues<T>& x) {
  const int least = std::min(x.m, x.n);
  if (least == 0) return *x.info = 0, Status();
  const bool all = x.u_columns > least || x.v_columns > least;
  const char job = x.u == nullptr || x.v == nullptr ? 'N' : all ? 'A' : 'S';
  std::vector<T> a(static_cast<size_t>(x.m) * static_cast<size_t>(x.n));
  for (int64_t j = 0; j < x.n; ++j) std::copy_n(x.a + j * x.lda, x.m, a.begin() + j * x.m);
  const int u_columns = all ? x.m : least, v_columns = all ? x.n : least;
  std::vector<T> u(job == 'N' ? 1 : static_cast<size_t>(x.m) * static_cast<size_t>(u_columns)),
      vt(job == 'N' ? 1 : static_cast<size_t>(v_columns) * static_cast<size_t>(x.n));
  const int ldu = x.m, ldvt = v_columns;
  const auto square = static_cast<size_t>(least) * static_cast<size_t>(least);
  std::vector<RealOf<T>> reals(kIsComplexNumber<T>
                                   ? 5 * square + 7 * static_cast<size_t>(std::max(x.m, x.n)) +
                                         2 * static_cast<size_t>(std::max(x.m, x.n)) * static_cast<size_t>(least)
                                   : 1);
  std::vector<int> integers(8 * static_cast<size_t>(least));
  const auto call = [&](T* work, int lwork) {
    if constexpr (kIsComplexNumber<T>)
      return lapack<T>("gesdd", job, x.m, x.n, a.data(), x.m, x.s, u.data(), ldu, vt.data(), ldvt, work, lwork,
                       reals.data(), integers.data(), x.info);
    else
      return lapack<T>("gesdd", job, x.m, x.n, a.data(), x.m, x.s, u.data(), ldu, vt.data(), ldvt, work, lwork,
                       integers.data(), x.info);
  };
  T needed = 0;
  WL_TRY(call(&needed, -1));
  std::vector<T> work(static_cast<size_t>(std::max(1, static_cast<int>(std::real(needed)))));
  WL_TRY(call(work.data(), static_cast<int>(work.size())));
  if (job == 'N') return {};
  for (int64_t j = 0; j < std::min<int64_t>(x.u_columns, u_columns); ++j)
    std::copy_n(u.begin() + j * x.m, x.m, x.u + j * x.ldu);
  std::vector<T> wanted(vt);
  if (x.v_columns < v_columns) {
    wanted.resize(static_cast<size_t>(x.v_columns) * static_cast<size_t>(x.n));
    for (int64_t i = 0; i < x.n; ++i)
      std::copy_n(vt.begin() + i * v_columns, x.v_columns, wanted.begin() + i * x.v_columns);
  }
  transpose_to(wanted, std::min<int64_t>(x.v_columns, v_columns), x.n, x.v, x.ldv);
  return {};
}

/// One matrix, or several that are at strides.
template <typename T>
struct Strides {
  int64_t a = 0, s = 0, u = 0, v = 0;
};
template <typename T>
int gesvd(SolverHandle* h, bool valid, const SingularValues<T>& x, const Strides<T>& strides, int count) {
  const double m = x.m, n = x.n;
  return queue_solver(h, valid && fits({x.m, x.n, x.lda, count}) && x.info != nullptr && x.s != nullptr,
                      {.operation = "gesvd",
                       .number = kNumberOf<T>,
                       .sizes = {x.m, x.n},
                       .batches = count,
                       .flops = 12 * m * n * std::min(m, n) * count,
                       .touches =
                           [=] {
                             std::vector<TouchedMemory> out;
                             const int64_t least = std::min(x.m, x.n);
                             for (int64_t i = 0; i < count; ++i) {
                               out.push_back(matrix(x.a + i * strides.a, x.m, x.n, x.lda, false));
                               out.push_back(matrix(x.s + i * strides.s, least, 1, least, true));
                               if (x.u != nullptr)
                                 out.push_back(matrix(x.u + i * strides.u, x.m, x.u_columns, x.ldu, true));
                               if (x.v != nullptr)
                                 out.push_back(matrix(x.v + i * strides.v, x.n, x.v_columns, x.ldv, true));
                             }
                             return out;
                           },
                       .run = [=]() -> Status {
                         for (int64_t i = 0; i < count; ++i) {
                           SingularValues<T> one = x;
                           one.a += i * strides.a;
                           one.s += i * strides.s;
                           if (one.u != nullptr) one.u += i * strides.u;
                           if (one.v != nullptr) one.v += i * strides.v;
                           one.info += i;
                           WL_TRY(singular_values(one));
                         }
                         return {};
                       }});
}

/// With LAPACK's own letters; V^H instead of V.
template <typename T>
int gesvd_by_letters(SolverHandle* h, signed char job_u, signed char job_v, int m, int n, T* a, int lda, RealOf<T>* s,
                     T* u, int ldu, T* vt, int ldvt, int* info) {
  const auto known = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
  return queue_solver(h, fits({m, n, lda}) && m >= n && known(job_u) && known(job_v) && info != nullptr,
                      {.operation = "gesvd",
                       .number = kNumberOf<T>,
                       .sizes = {m, n},
                       .flops = 12.0 * m * n * n,
                       .touches = [=] { return std::vector{matrix(a, m, n, lda, true), matrix(s, n, 1, n, true)}; },
                       .run = [=]() -> Status {
                         std::vector<RealOf<T>> reals(5 * static_cast<size_t>(std::max(1, n)));
                         const auto call = [&](T* work, int lwork) {
                           const auto ju = static_cast<char>(job_u), jv = static_cast<char>(job_v);
                           if constexpr (kIsComplexNumber<T>)
                             return lapack<T>("gesvd", ju, jv, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork,
                                              reals.data(), info);
                           else return lapack<T>("gesvd", ju, jv, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info);
                         };
                         T needed = 0;
                         WL_TRY(call(&needed, -1));
                         std::vector<T> work(static_cast<size_t>(std::max(1, static_cast<int>(std::real(needed)))));
                         return call(work.data(), static_cast<int>(work.size()));
                       }});
}

template <typename T>
int gesvd_jacobi(SolverHandle* h, int mode, bool economy, int m, int n, const T* a, int lda, RealOf<T>* s, T* u,
                 int ldu, T* v, int ldv, int* info, int count) {
  const int least = std::min(m, n), u_columns = economy ? least : m, v_columns = economy ? least : n;
  const bool wanted = mode == 1;
  return gesvd<T>(h, vectors_letter(mode) != 0,
                  {m, n, a, lda, s, wanted ? u : nullptr, ldu, u_columns, wanted ? v : nullptr, ldv, v_columns, info},
                  {int64_t{lda} * n, least, int64_t{ldu} * u_columns, int64_t{ldv} * v_columns}, count);
}

}  // namespace warplens::libraries
