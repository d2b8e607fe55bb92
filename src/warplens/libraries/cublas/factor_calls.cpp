// cuBLAS: factorisations and solutions of batches of matrices, by LAPACK.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/libraries/cublas/handle.h"
#include "warplens/libraries/math/lapack.h"
#include "warplens/libraries/math/unpivoted.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

struct Batch {
  const char* name;
  int64_t rows, columns, leading, count;
};

/// Work on the matrices of a batch, one after another. `matrices`: an array of the device's, of which each is written.
template <typename T, typename F>
int queue_batch(BlasHandle* h, const Batch& batch, T* const* matrices, F work) {
  if (h == nullptr) return kBlasNotInitialized;
  if (batch.rows < 0 || batch.columns < 0 || batch.count < 0 || batch.leading < std::max<int64_t>(batch.rows, 1))
    return kBlasInvalidValue;
  if (batch.count == 0) return kBlasSuccess;
  const auto count = static_cast<double>(batch.count), rows = static_cast<double>(batch.rows),
             columns = static_cast<double>(batch.columns);
  const auto touches = [=] {
    std::vector<TouchedMemory> out;
    for (int64_t i = 0; i < batch.count; ++i)
      out.push_back(touched_matrix(matrices[i], sizeof(T), batch.rows, batch.columns, batch.leading, true));
    return out;
  };
  const std::string text =
      fmt::format("{} {} {}x{} batch {}", batch.name, name(kNumberOf<T>), batch.rows, batch.columns, batch.count);
  return blas_status(queue(h->stream, {.name = text,
                                       .time = streaming_time(2 * sizeof(T) * rows * columns * count,
                                                              count * rows * columns * columns, *device()),
                                       .touches = touches,
                                       .run = [=]() -> Status {
                                         for (int64_t i = 0; i < batch.count; ++i) WL_TRY(work(i));
                                         return {};
                                       }}));
}

template <typename T>
int getrf(BlasHandle* h, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  return queue_batch<T>(h, {"getrf", n, n, lda, count}, a, [=](int64_t i) -> Status {
    if (pivots == nullptr) return info[i] = factor_in_place(n, n, a[i], lda), Status();
    return lapack<T>("getrf", n, n, a[i], lda, pivots + i * n, info + i);
  });
}

template <typename T>
int getrs(BlasHandle* h, int op, int n, int columns, const T* const* a, int lda, const int* pivots, T* const* b,
          int ldb, int* info, int count) {
  if (op < 0 || op > 2 || info == nullptr) return kBlasInvalidValue;
  *info = 0;  // the host's, of the arguments
  return queue_batch<T>(h, {"getrs", n, columns, ldb, count}, b, [=](int64_t i) -> Status {
    std::vector<int> own(static_cast<size_t>(n));
    for (int k = 0; k < n; ++k) own[static_cast<size_t>(k)] = pivots != nullptr ? pivots[i * n + k] : k + 1;
    int unused = 0;
    return lapack<T>("getrs", "NTC"[op], n, columns, a[i], lda, static_cast<const int*>(own.data()), b[i], ldb,
                     &unused);
  });
}

template <typename T>
int getri(BlasHandle* h, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc, int* info,
          int count) {
  return queue_batch<T>(h, {"getri", n, n, ldc, count}, c, [=](int64_t i) -> Status {
    info[i] = 0;
    for (int k = 0; k < n && info[i] == 0; ++k)
      if (a[i][k + int64_t{k} * lda] == T(0)) info[i] = k + 1;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k) c[i][k + j * ldc] = T(k == j ? 1 : 0);
    if (info[i] != 0) return {};
    std::vector<int> own(static_cast<size_t>(n));
    for (int k = 0; k < n; ++k) own[static_cast<size_t>(k)] = pivots != nullptr ? pivots[i * n + k] : k + 1;
    int unused = 0;
    return lapack<T>("getrs", 'N', n, n, a[i], lda, static_cast<const int*>(own.data()), c[i], ldc, &unused);
  });
}

template <typename T>
int geqrf(BlasHandle* h, int m, int n, T* const* a, int lda, T* const* tau, int* info, int count) {
  if (info == nullptr) return kBlasInvalidValue;
  *info = 0;  // the host's, of the arguments
  return queue_batch<T>(h, {"geqrf", m, n, lda, count}, a,
                        [=](int64_t i) { return lapack_with_work<T>("geqrf", m, n, a[i], lda, tau[i]); });
}

template <typename T>
int gels(BlasHandle* h, int op, int m, int n, int columns, T* const* a, int lda, T* const* c, int ldc, int* info,
         int* infos, int count) {
  if (info == nullptr || op < 0 || op > 2) return kBlasInvalidValue;
  *info = 0;
  return queue_batch<T>(h, {"gels", m, n, lda, count}, a, [=](int64_t i) -> Status {
    int found = 0;
    WL_TRY(lapack_with_work<T>("gels", &found, "NTC"[op], m, n, columns, a[i], lda, c[i], ldc));
    if (infos != nullptr) infos[i] = found;
    return {};
  });
}

/// The inverses of small matrices.
template <typename T>
int matinv(BlasHandle* h, int n, const T* const* a, int lda, T* const* inverse, int leading, int* info, int count) {
  constexpr int kMost = 32;
  if (h == nullptr) return kBlasNotInitialized;
  if (n > kMost || lda < std::max(n, 1)) return kBlasInvalidValue;
  return queue_batch<T>(h, {"matinv", n, n, leading, count}, inverse, [=](int64_t i) -> Status {
    std::vector<T> factors(static_cast<size_t>(n) * static_cast<size_t>(n));
    std::vector<int> pivots(static_cast<size_t>(n));
    for (int64_t j = 0; j < n; ++j) std::copy_n(a[i] + j * lda, n, factors.data() + j * n);
    WL_TRY(lapack<T>("getrf", n, n, factors.data(), n, pivots.data(), info + i));
    if (info[i] != 0) return {};
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k) inverse[i][k + j * leading] = T(k == j ? 1 : 0);
    int unused = 0;
    return lapack<T>("getrs", 'N', n, n, static_cast<const T*>(factors.data()), n,
                     static_cast<const int*>(pivots.data()), inverse[i], leading, &unused);
  });
}

}  // namespace

#define FACTORS(L, T)                                                                                               \
  CUDA_API int cublas##L##getrfBatched(BlasHandle* h, int n, T* const* a, int lda, int* pivots, int* info,          \
                                       int count) {                                                                 \
    return getrf<T>(h, n, a, lda, pivots, info, count);                                                             \
  }                                                                                                                 \
  CUDA_API int cublas##L##getrsBatched(BlasHandle* h, int op, int n, int columns, const T* const* a, int lda,       \
                                       const int* pivots, T* const* b, int ldb, int* info, int count) {             \
    return getrs<T>(h, op, n, columns, a, lda, pivots, b, ldb, info, count);                                        \
  }                                                                                                                 \
  CUDA_API int cublas##L##getriBatched(BlasHandle* h, int n, const T* const* a, int lda, const int* pivots,         \
                                       T* const* c, int ldc, int* info, int count) {                                \
    return getri<T>(h, n, a, lda, pivots, c, ldc, info, count);                                                     \
  }                                                                                                                 \
  CUDA_API int cublas##L##geqrfBatched(BlasHandle* h, int m, int n, T* const* a, int lda, T* const* tau, int* info, \
                                       int count) {                                                                 \
    return geqrf<T>(h, m, n, a, lda, tau, info, count);                                                             \
  }                                                                                                                 \
  CUDA_API int cublas##L##gelsBatched(BlasHandle* h, int op, int m, int n, int columns, T* const* a, int lda,       \
                                      T* const* c, int ldc, int* info, int* infos, int count) {                     \
    return gels<T>(h, op, m, n, columns, a, lda, c, ldc, info, infos, count);                                       \
  }                                                                                                                 \
  CUDA_API int cublas##L##matinvBatched(BlasHandle* h, int n, const T* const* a, int lda, T* const* inverse,        \
                                        int leading, int* info, int count) {                                        \
    return matinv<T>(h, n, a, lda, inverse, leading, info, count);                                                  \
  }
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, C32)
FACTORS(Z, C64)
#undef FACTORS
