// cuSPARSE: incomplete factors at the places of the matrix's own elements, ILU(0) and IC(0).
#include <algorithm>
#include <cmath>

#include "warplens/libraries/cusparse/descriptors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;
template <typename T>
using WideValue = std::conditional_t<std::is_floating_point_v<T>, double, C64>;

/// csrilu02Info_t and csric02Info_t.
struct IncompleteFactor {
  int64_t zero_pivot = -1;  // the first row (from 0) whose pivot is missing or zero
  bool boosts = false;      // ILU: smaller pivots are replaced
  double tolerance = 0;
  C64 boost = 0;
};

/// Rows with their columns in order, whose values are computed with in double precision.
template <typename T>
class Rows {
 public:
  explicit Rows(const SparseMatrix& a) : a_(a), values_(static_cast<size_t>(a.stored)) {
    std::copy_n(static_cast<const T*>(a.values), a.stored, values_.begin());
  }
  int64_t begin(int64_t row) const { return a_.outer.at(row); }
  int64_t end(int64_t row) const { return a_.outer.at(row + 1); }
  int64_t column(int64_t slot) const { return a_.inner.at(slot); }
  WideValue<T>& value(int64_t slot) { return values_[static_cast<size_t>(slot)]; }
  /// The slot of an element; -1: there is none.
  int64_t find(int64_t row, int64_t column_wanted) const {
    for (int64_t s = begin(row); s < end(row); ++s)
      if (column(s) == column_wanted) return s;
    return -1;
  }
  void store() const {
    for (size_t s = 0; s < values_.size(); ++s) static_cast<T*>(a_.values)[s] = static_cast<T>(values_[s]);
  }

 private:
  const SparseMatrix& a_;
  std::vector<WideValue<T>> values_;
};

/// L below the diagonal, which is 1 there, and U from it on.
template <typename T>
void factor_lu(const SparseMatrix& a, IncompleteFactor* state) {
  Rows<T> rows(a);
  state->zero_pivot = -1;
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t s = rows.begin(i); s < rows.end(i); ++s) {
      const int64_t k = rows.column(s);
      if (k >= i) continue;
      const int64_t pivot = rows.find(k, k);
      if (pivot < 0) continue;  // told as a zero pivot
      const WideValue<T> factor = rows.value(s) /= rows.value(pivot);
      for (int64_t t = rows.begin(k); t < rows.end(k); ++t) {
        const int64_t to = rows.column(t) > k ? rows.find(i, rows.column(t)) : -1;
        if (to >= 0) rows.value(to) -= factor * rows.value(t);
      }
    }
    const int64_t pivot = rows.find(i, i);
    if (pivot >= 0 && state->boosts && std::abs(rows.value(pivot)) <= state->tolerance) {
      if constexpr (std::is_floating_point_v<T>) rows.value(pivot) = state->boost.real();
      else rows.value(pivot) = state->boost;
    }
    const bool is_zero = pivot < 0 || rows.value(pivot) == WideValue<T>(0);
    if (is_zero && state->zero_pivot < 0) state->zero_pivot = i;
  }
  rows.store();
}

/// L in the lower triangle, A = L L^H; what lies above it stays as it is.
template <typename T>
void factor_cholesky(const SparseMatrix& a, IncompleteFactor* state) {
  Rows<T> rows(a);
  state->zero_pivot = -1;
  const auto turned = [](WideValue<T> v) -> WideValue<T> {
    if constexpr (std::is_floating_point_v<T>) return v;
    else return std::conj(v);
  };
  for (int64_t i = 0; i < a.rows; ++i) {
    bool has_pivot = false;
    for (int64_t s = rows.begin(i); s < rows.end(i); ++s) {
      const int64_t k = rows.column(s);
      if (k > i) continue;
      WideValue<T> sum = rows.value(s);
      for (int64_t t = rows.begin(i); t < rows.end(i); ++t) {
        const int64_t other = rows.column(t) < k ? rows.find(k, rows.column(t)) : -1;
        if (other >= 0) sum -= rows.value(t) * turned(rows.value(other));
      }
      const int64_t pivot = k < i ? rows.find(k, k) : s;
      if (k < i && pivot >= 0) rows.value(s) = sum / rows.value(pivot);
      if (k < i) continue;
      has_pivot = std::real(sum) > 0;
      rows.value(s) = std::sqrt(std::real(sum));
    }
    if (!has_pivot && state->zero_pivot < 0) state->zero_pivot = i;
  }
  rows.store();
}

template <typename T>
int factor(const SparseHandle* h, const char* what, void (*work)(const SparseMatrix&, IncompleteFactor*), int rows,
           int stored, const MatrixKind* kind, T* values, const int* offsets, const int* indices,
           IncompleteFactor* state) {
  if (h == nullptr) return kSparseNotInitialized;
  if (kind == nullptr || state == nullptr || rows < 0 || stored < 0) return kSparseInvalidValue;
  const SparseMatrix a = compressed_rows(kind, rows, rows, stored, values, offsets, indices, kNumberOf<T>);
  SparseCall call{.name = fmt::format("{} csr {} {}x{}", what, name(a.number), rows, rows), .flops = 2.0 * stored};
  touch(call.touches, a, false);
  touch(call.touches, a, true);
  call.run = [=]() -> Status {
    work(a, state);
    return {};
  };
  return queue_sparse(h, std::move(call));
}

int factor_zero_pivot(const SparseHandle* h, const IncompleteFactor* state, int* position) {
  if (h == nullptr) return kSparseNotInitialized;
  if (state == nullptr || position == nullptr) return kSparseInvalidValue;
  *position = static_cast<int>(state->zero_pivot);
  return state->zero_pivot < 0 ? kSparseSuccess : kSparseZeroPivot;
}

}  // namespace

#define INCOMPLETE(Name, name)                                                                                      \
  CUDA_API int cusparseCreate##Name##02Info(IncompleteFactor * *out) { return Sparse::make(out); }                  \
  CUDA_API int cusparseDestroy##Name##02Info(IncompleteFactor * state) { return Sparse::destroy(state); }           \
  CUDA_API int cusparseX##name##02_zeroPivot(const SparseHandle* h, const IncompleteFactor* state, int* position) { \
    return factor_zero_pivot(h, state, position);                                                                   \
  }
INCOMPLETE(Csrilu, csrilu)
INCOMPLETE(Csric, csric)
#undef INCOMPLETE

#define FACTOR(letter, T, call, what, work)                                                                            \
  CUDA_API int cusparse##letter##call##_bufferSize(const SparseHandle* h, int, int, const MatrixKind*, T*, const int*, \
                                                   const int*, IncompleteFactor*, int* bytes) {                        \
    return Sparse::answer_workspace(h, bytes);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##call##_analysis(const SparseHandle* h, int rows, int stored, const MatrixKind* kind,  \
                                                 const T* values, const int* offsets, const int* indices,              \
                                                 IncompleteFactor* state, int, void*) {                                \
    return missing_pivot<T>(h, rows, stored, kind, values, offsets, indices, state);                                   \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##call(const SparseHandle* h, int rows, int stored, const MatrixKind* kind, T* values,  \
                                      const int* offsets, const int* indices, IncompleteFactor* state, int, void*) {   \
    return factor<T>(h, what, work<T>, rows, stored, kind, values, offsets, indices, state);                           \
  }
#define FACTORS(letter, T)                                                                                       \
  FACTOR(letter, T, csrilu02, "ilu0", factor_lu)                                                                 \
  FACTOR(letter, T, csric02, "ic0", factor_cholesky)                                                             \
  CUDA_API int cusparse##letter##csrilu02_numericBoost(const SparseHandle* h, IncompleteFactor* state, int on,   \
                                                       const double* tolerance, const T* boost) {                \
    if (h == nullptr) return kSparseNotInitialized;                                                              \
    if (state == nullptr || (on != 0 && (tolerance == nullptr || boost == nullptr))) return kSparseInvalidValue; \
    state->boosts = on != 0;                                                                                     \
    if (state->boosts) state->tolerance = *tolerance, state->boost = *boost;                                     \
    return kSparseSuccess;                                                                                       \
  }

namespace {

/// The analysis finds rows without a diagonal element.
template <typename T>
int missing_pivot(const SparseHandle* h, int rows, int stored, const MatrixKind* kind, const T* values,
                  const int* offsets, const int* indices, IncompleteFactor* state) {
  if (h == nullptr) return kSparseNotInitialized;
  if (kind == nullptr || state == nullptr || rows < 0 || stored < 0) return kSparseInvalidValue;
  const SparseMatrix a = compressed_rows(kind, rows, rows, stored, values, offsets, indices, kNumberOf<T>);
  SparseCall call{.name = fmt::format("analysis csr {} {}x{}", name(a.number), rows, rows)};
  touch(call.touches, a, false);
  call.run = [=]() -> Status {
    state->zero_pivot = -1;
    const Rows<T> own(a);
    for (int64_t i = a.rows; i-- > 0;)
      if (own.find(i, i) < 0) state->zero_pivot = i;
    return {};
  };
  return queue_sparse(h, std::move(call));
}

}  // namespace

FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, C32)
FACTORS(Z, C64)
#undef FACTORS
#undef FACTOR
