// cuSPARSE: solutions with matrices of three and of five diagonals, by LAPACK.
#include <algorithm>

#include "warplens/libraries/cusparse/handle.h"
#include "warplens/libraries/math/lapack.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

/// Where the elements of the systems lie: element i of system k at k * system + i * element. A diagonal below the main
/// one begins at the row that it belongs to: its first elements are not used.
struct Places {
  int64_t systems, system, element;
};

template <typename T>
std::vector<T> gathered(const T* from, int64_t first, int64_t count, int64_t step) {
  std::vector<T> out(static_cast<size_t>(std::max<int64_t>(count, 0)));
  for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(i)] = from[first + i * step];
  return out;
}

template <typename T>
void touch_systems(std::vector<TouchedMemory>& out, std::initializer_list<const T*> arrays, const Places& at, int64_t m,
                   bool written) {
  const int64_t elements = at.system == 1 ? m * at.systems : (at.systems - 1) * at.system + m;
  for (const T* array : arrays) out.push_back(touched(array, elements, sizeof(T), written));
}

/// Three diagonals, and `columns` right sides of each system `leading` apart, in place of which the solutions come.
template <typename T>
int solve_three(const SparseHandle* h, int64_t m, int64_t columns, const T* lower, const T* main, const T* upper, T* x,
                int64_t leading, const Places& at) {
  if (h == nullptr) return kSparseNotInitialized;
  constexpr int64_t kLeast = 3;
  if (m < kLeast || columns < 0 || at.systems < 0 || (columns > 1 && leading < m)) return kSparseInvalidValue;
  SparseCall call{.name = fmt::format("gtsv {} {}x{}", name(kNumberOf<T>), m, columns * at.systems),
                  .flops = 8.0 * static_cast<double>(m * columns * at.systems)};
  touch_systems<T>(call.touches, {lower, main, upper}, at, m, false);
  if (at.systems > 1 || columns == 1) touch_systems<T>(call.touches, {x}, at, m, true);
  else call.touches.push_back(touched_matrix(x, sizeof(T), m, columns, leading, true));
  call.run = [=]() -> Status {
    for (int64_t k = 0; k < at.systems; ++k) {
      const int64_t first = k * at.system;
      std::vector<T> l = gathered(lower, first + at.element, m - 1, at.element),
                     d = gathered(main, first, m, at.element), u = gathered(upper, first, m - 1, at.element);
      std::vector<T> sides;
      for (int64_t j = 0; j < columns; ++j) {
        const std::vector<T> one = gathered(x, first + j * leading, m, at.element);
        sides.insert(sides.end(), one.begin(), one.end());
      }
      int info = 0;
      WL_TRY(lapack<T>("gtsv", static_cast<int>(m), static_cast<int>(columns), l.data(), d.data(), u.data(),
                       sides.data(), static_cast<int>(m), &info));
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < m; ++i) x[first + j * leading + i * at.element] = sides[static_cast<size_t>(j * m + i)];
    }
    return {};
  };
  return queue_sparse(h, std::move(call));
}

/// Five diagonals, from the lowest to the highest.
template <typename T>
int solve_five(const SparseHandle* h, int64_t m, const std::array<const T*, 5>& diagonals, T* x, const Places& at) {
  if (h == nullptr) return kSparseNotInitialized;
  constexpr int64_t kLeast = 3;
  if (m < kLeast || at.systems < 0) return kSparseInvalidValue;
  SparseCall call{.name = fmt::format("gpsv {} {}x{}", name(kNumberOf<T>), m, at.systems),
                  .flops = 20.0 * static_cast<double>(m * at.systems)};
  for (const T* diagonal : diagonals) touch_systems<T>(call.touches, {diagonal}, at, m, false);
  touch_systems<T>(call.touches, {x}, at, m, true);
  call.run = [=]() -> Status {
    constexpr int kBeside = 2, kRows = 3 * kBeside + 1;  // of LAPACK's band, with room for its factors
    for (int64_t k = 0; k < at.systems; ++k) {
      std::vector<T> band(static_cast<size_t>(kRows * m)), side = gathered(x, k * at.system, m, at.element);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t d = 0; d < 5; ++d) {
          const int64_t j = i + d - kBeside;
          if (j < 0 || j >= m) continue;
          band[static_cast<size_t>(j * kRows + 2 * kBeside + i - j)] =
              diagonals[static_cast<size_t>(d)][k * at.system + i * at.element];
        }
      }
      std::vector<int> pivots(static_cast<size_t>(m));
      int info = 0;
      WL_TRY(lapack<T>("gbsv", static_cast<int>(m), kBeside, kBeside, 1, band.data(), kRows, pivots.data(), side.data(),
                       static_cast<int>(m), &info));
      for (int64_t i = 0; i < m; ++i) x[k * at.system + i * at.element] = side[static_cast<size_t>(i)];
    }
    return {};
  };
  return queue_sparse(h, std::move(call));
}

}  // namespace

#define THREE_DIAGONALS(letter, T, pivots)                                                                          \
  CUDA_API int cusparse##letter##gtsv2##pivots##_bufferSizeExt(const SparseHandle* h, int, int, const T*, const T*, \
                                                               const T*, const T*, int, size_t* bytes) {            \
    return Sparse::answer_workspace(h, bytes);                                                                      \
  }                                                                                                                 \
  CUDA_API int cusparse##letter##gtsv2##pivots(const SparseHandle* h, int m, int n, const T* lower, const T* main,  \
                                               const T* upper, T* b, int ldb, void*) {                              \
    return solve_three<T>(h, m, n, lower, main, upper, b, ldb, {1, 0, 1});                                          \
  }
#define DIAGONALS(letter, T)                                                                                           \
  THREE_DIAGONALS(letter, T, )                                                                                         \
  THREE_DIAGONALS(letter, T, _nopivot)                                                                                 \
  CUDA_API int cusparse##letter##gtsv2StridedBatch_bufferSizeExt(const SparseHandle* h, int, const T*, const T*,       \
                                                                 const T*, const T*, int, int, size_t* bytes) {        \
    return Sparse::answer_workspace(h, bytes);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##gtsv2StridedBatch(const SparseHandle* h, int m, const T* lower, const T* main,        \
                                                   const T* upper, T* x, int count, int step, void*) {                 \
    return solve_three<T>(h, m, 1, lower, main, upper, x, 0, {count, step, 1});                                        \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(                                                   \
      const SparseHandle* h, int, int, const T*, const T*, const T*, const T*, int, size_t* bytes) {                   \
    return Sparse::answer_workspace(h, bytes);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##gtsvInterleavedBatch(const SparseHandle* h, int, int m, T* lower, T* main, T* upper,  \
                                                      T* x, int count, void*) {                                        \
    return solve_three<T>(h, m, 1, lower, main, upper, x, 0, {count, 1, count});                                       \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##gpsvInterleavedBatch_bufferSizeExt(const SparseHandle* h, int, int, const T*,         \
                                                                    const T*, const T*, const T*, const T*, const T*,  \
                                                                    int, size_t* bytes) {                              \
    return Sparse::answer_workspace(h, bytes);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##gpsvInterleavedBatch(const SparseHandle* h, int, int m, T* lowest, T* lower, T* main, \
                                                      T* upper, T* highest, T* x, int count, void*) {                  \
    return solve_five<T>(h, m, {lowest, lower, main, upper, highest}, x, {count, 1, count});                           \
  }
DIAGONALS(S, float)
DIAGONALS(D, double)
DIAGONALS(C, C32)
DIAGONALS(Z, C64)
#undef DIAGONALS
#undef THREE_DIAGONALS
