// cuSPARSELt: its handle, matrices, products, choices of an algorithm, and plans.
#include <algorithm>
#include <cstring>

#include "warplens/libraries/cusparselt/descriptors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace warplens::libraries {

Matrix SparseLtMatrix::dense(const void* data, int op) const {
  Matrix out = column_major(data, number, leading, op);
  if (order == kRows) std::swap(out.row_step, out.column_step);
  out.batch_step = batch_step;
  return out;
}

StructuredShape SparseLtMatrix::lines(bool left, int op) const {
  const Matrix matrix = dense(nullptr, op);
  const int64_t row_count = op == 0 ? rows : columns, column_count = op == 0 ? columns : rows;
  if (left) return {number, row_count, column_count, matrix.row_step, matrix.column_step};
  return {number, column_count, row_count, matrix.column_step, matrix.row_step};
}

namespace {

using A = SparseLtAttribute;

size_t bytes_of(A attribute) {
  switch (attribute) {
    case A::kBiasStep:
    case A::kBias:
    case A::kSparseMatrix:
    case A::kAScale:
    case A::kBScale:
    case A::kCScale:
    case A::kDScale:
    case A::kDOutScale: return sizeof(int64_t);
    default: return sizeof(int);
  }
}

bool is_attribute(int attribute) { return attribute >= 0 && attribute < static_cast<int>(A::kEnd); }

}  // namespace

int SparseLtMatmul::set(int attribute, const void* value, size_t size_bytes) {
  if (value == nullptr || !is_attribute(attribute) || size_bytes != bytes_of(static_cast<A>(attribute)))
    return kSparseInvalidValue;
  int64_t& to = values_[static_cast<size_t>(attribute)];
  to = 0;
  std::memcpy(&to, value, size_bytes);
  return kSparseSuccess;
}

int SparseLtMatmul::get(int attribute, void* value, size_t size_bytes) const {
  if (value == nullptr || !is_attribute(attribute) || size_bytes != bytes_of(static_cast<A>(attribute)))
    return kSparseInvalidValue;
  std::memcpy(value, &values_[static_cast<size_t>(attribute)], size_bytes);
  return kSparseSuccess;
}

std::string refusal(const SparseLtMatmul& matmul) {
  for (const SparseLtMatrix* matrix : {&matmul.a, &matmul.b})
    if (matrix->structured && matrix->batches > 1 && matrix->batch_step != 0) return "a batch of sparse matrices";
  if (matmul.real(A::kReluUpperBound) != std::numeric_limits<float>::infinity() || matmul.real(A::kReluThreshold) != 0)
    return "a ReLU with bounds";
  if (matmul.real(A::kGeluScaling) != 1) return "a scaled GELU";
  if (matmul.number(A::kBetaVector) != 0) return "a vector of betas";
  constexpr int kNone = 0, kScalar = 1;
  for (const A mode : {A::kAScaleMode, A::kBScaleMode, A::kCScaleMode, A::kDScaleMode, A::kDOutScaleMode})
    if (const int value = matmul.number(mode); value != kNone && value != kScalar)
      return "scales of blocks of a matrix";
  if (matmul.number(A::kDOutScaleMode) != kNone) return "an output of scales";
  return {};
}

}  // namespace warplens::libraries

namespace {

template <typename T>
int construct(void* where, const T& value) {
  if (where == nullptr) return kSparseInvalidValue;
  std::memset(where, 0, kSparseLtBytes);
  new (where) T(value);
  return kSparseSuccess;
}

/// Rows in memory begin at multiples of 16 bytes; the sparse matrix has whole steps of the machine's instruction.
int make_matrix(void* where, SparseLtMatrix matrix) {
  constexpr int64_t kDenseBytes = 16, kStructuredBytes = 32;
  const int64_t bytes = size_bytes(matrix.number), unit = matrix.structured ? kStructuredBytes : kDenseBytes;
  const bool by_rows = matrix.order == SparseLtMatrix::kRows;
  if (matrix.rows <= 0 || matrix.columns <= 0 || (!by_rows && matrix.order != SparseLtMatrix::kColumns) ||
      matrix.leading < (by_rows ? matrix.columns : matrix.rows))
    return kSparseInvalidValue;
  if (bytes == 0 || bytes > 4) return kSparseNotSupported;
  if (matrix.rows * bytes % unit != 0 || matrix.columns * bytes % unit != 0 || matrix.leading * bytes % unit != 0)
    return kSparseNotSupported;
  return construct(where, matrix);
}

/// As cusparseLtMatDescAttribute_t numbers them; nullptr: no such attribute of this size.
void* field_of(SparseLtMatrix* matrix, int which, size_t size_bytes) {
  constexpr int kBatches = 0, kBatchStep = 1;
  if (matrix == nullptr) return nullptr;
  if (which == kBatches && size_bytes == sizeof(matrix->batches)) return &matrix->batches;
  return which == kBatchStep && size_bytes == sizeof(matrix->batch_step) ? &matrix->batch_step : nullptr;
}
int* field_of(SparseLtAlgorithm* algorithm, int which, size_t size_bytes) {
  const bool known = algorithm != nullptr && which >= 0 && which < static_cast<int>(algorithm->values.size());
  return known && size_bytes == sizeof(int) ? &algorithm->values[static_cast<size_t>(which)] : nullptr;
}

}  // namespace

CUDA_API int cusparseLtInit(void* handle) { return construct<char>(handle, 1); }
CUDA_API int cusparseLtDestroy(const void* handle) { return handle != nullptr ? kSparseSuccess : kSparseInvalidValue; }
CUDA_API int cusparseLtGetVersion(const void*, int* out) {
  constexpr int kVersion = 801;
  return out != nullptr ? (*out = kVersion, kSparseSuccess) : kSparseInvalidValue;
}
CUDA_API int cusparseLtGetProperty(int which, int* out) {
  constexpr std::array<int, 3> kParts{0, 8, 1};
  if (out == nullptr || which < 0 || which >= static_cast<int>(kParts.size())) return kSparseInvalidValue;
  *out = kParts[static_cast<size_t>(which)];
  return kSparseSuccess;
}
CUDA_API const char* cusparseLtGetErrorName(int status) { return status_name(status).name; }
CUDA_API const char* cusparseLtGetErrorString(int status) { return status_name(status).text; }

CUDA_API int cusparseLtDenseDescriptorInit(const void* handle, void* out, int64_t rows, int64_t columns,
                                           int64_t leading, uint32_t, int type, int order) {
  if (handle == nullptr) return kSparseNotInitialized;
  return make_matrix(out, {rows, columns, leading, static_cast<Number>(type), order});
}
CUDA_API int cusparseLtStructuredDescriptorInit(const void* handle, void* out, int64_t rows, int64_t columns,
                                                int64_t leading, uint32_t, int type, int order, int sparsity) {
  if (handle == nullptr) return kSparseNotInitialized;
  constexpr int kHalf = 0;
  if (sparsity != kHalf) return kSparseInvalidValue;
  return make_matrix(out, {rows, columns, leading, static_cast<Number>(type), order, true});
}
CUDA_API int cusparseLtMatDescriptorDestroy(const void* matrix) {
  return matrix != nullptr ? kSparseSuccess : kSparseInvalidValue;
}
CUDA_API int cusparseLtMatDescSetAttribute(const void*, SparseLtMatrix* matrix, int which, const void* value,
                                           size_t size_bytes) {
  void* const field = field_of(matrix, which, size_bytes);
  return field != nullptr && value != nullptr ? (std::memcpy(field, value, size_bytes), kSparseSuccess)
                                              : kSparseInvalidValue;
}
CUDA_API int cusparseLtMatDescGetAttribute(const void*, SparseLtMatrix* matrix, int which, void* value,
                                           size_t size_bytes) {
  const void* const field = field_of(matrix, which, size_bytes);
  return field != nullptr && value != nullptr ? (std::memcpy(value, field, size_bytes), kSparseSuccess)
                                              : kSparseInvalidValue;
}

CUDA_API int cusparseLtMatmulDescriptorInit(const void* handle, void* out, int op_a, int op_b, const SparseLtMatrix* a,
                                            const SparseLtMatrix* b, const SparseLtMatrix* c, const SparseLtMatrix* d,
                                            int compute) {
  if (handle == nullptr) return kSparseNotInitialized;
  if (a == nullptr || b == nullptr || c == nullptr || d == nullptr) return kSparseInvalidValue;
  SparseLtMatmul matmul;
  matmul.op_a = op_a, matmul.op_b = op_b, matmul.compute = compute;
  matmul.a = *a, matmul.b = *b, matmul.c = *c, matmul.d = *d;
  const int64_t k_of_b = op_b == 0 ? b->rows : b->columns;
  const bool fits = matmul.k() == k_of_b && d->rows == matmul.m() && d->columns == matmul.n() && c->rows == d->rows &&
                    c->columns == d->columns && a->structured != b->structured;
  return fits ? construct(out, matmul) : kSparseInvalidValue;
}
CUDA_API int cusparseLtMatmulDescSetAttribute(const void*, SparseLtMatmul* matmul, int attribute, const void* value,
                                              size_t size_bytes) {
  return matmul != nullptr ? matmul->set(attribute, value, size_bytes) : kSparseInvalidValue;
}
CUDA_API int cusparseLtMatmulDescGetAttribute(const void*, const SparseLtMatmul* matmul, int attribute, void* value,
                                              size_t size_bytes) {
  return matmul != nullptr ? matmul->get(attribute, value, size_bytes) : kSparseInvalidValue;
}

CUDA_API int cusparseLtMatmulAlgSelectionInit(const void* handle, void* out, const SparseLtMatmul* matmul, int) {
  if (handle == nullptr) return kSparseNotInitialized;
  return matmul != nullptr ? construct(out, SparseLtAlgorithm{}) : kSparseInvalidValue;
}
CUDA_API int cusparseLtMatmulAlgSelectionDestroy(const void*) { return kSparseSuccess; }
CUDA_API int cusparseLtMatmulAlgSetAttribute(const void*, SparseLtAlgorithm* algorithm, int which, const void* value,
                                             size_t size_bytes) {
  int* const field = field_of(algorithm, which, size_bytes);
  return field != nullptr && value != nullptr ? (std::memcpy(field, value, size_bytes), kSparseSuccess)
                                              : kSparseInvalidValue;
}
CUDA_API int cusparseLtMatmulAlgGetAttribute(const void*, SparseLtAlgorithm* algorithm, int which, void* value,
                                             size_t size_bytes) {
  const int* const field = field_of(algorithm, which, size_bytes);
  return field != nullptr && value != nullptr ? (std::memcpy(value, field, size_bytes), kSparseSuccess)
                                              : kSparseInvalidValue;
}

CUDA_API int cusparseLtMatmulPlanInit(const void* handle, void* out, const SparseLtMatmul* matmul,
                                      const SparseLtAlgorithm* algorithm) {
  if (handle == nullptr) return kSparseNotInitialized;
  if (matmul == nullptr || algorithm == nullptr) return kSparseInvalidValue;
  if (const std::string what = refusal(*matmul); !what.empty()) {
    tell_refused("cusparseLtMatmul", (what + ": the program gets CUSPARSE_STATUS_NOT_SUPPORTED").c_str());
    return kSparseNotSupported;
  }
  return construct<SparseLtPlan>(out, *matmul);
}
CUDA_API int cusparseLtMatmulPlanDestroy(const void* plan) {
  return plan != nullptr ? kSparseSuccess : kSparseInvalidValue;
}
CUDA_API int cusparseLtMatmulGetWorkspace(const void*, const SparseLtPlan* plan, size_t* out) {
  if (plan == nullptr || out == nullptr) return kSparseInvalidValue;
  *out = 0;
  return kSparseSuccess;
}
