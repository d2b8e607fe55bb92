// cuSPARSE: handles, the descriptors of its older functions, versions and names of errors.
#include "warplens/libraries/cusparse/handle.h"

using namespace warplens::libraries;

namespace {

struct StatusName {
  const char *name, *text;
};
constexpr StatusName kStatuses[] = {{"CUSPARSE_STATUS_SUCCESS", "success"},
                                    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
                                    {"CUSPARSE_STATUS_ALLOC_FAILED", "allocation failed"},
                                    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
                                    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
                                    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture mapping error"},
                                    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
                                    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
                                    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
                                    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
                                    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
                                    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"}};
StatusName status_name(int status) {
  const bool known = status >= 0 && status < static_cast<int>(std::size(kStatuses));
  return known ? kStatuses[status] : StatusName{"unrecognized error code", "unrecognized error code"};
}

constexpr int kMajor = 12, kMinor = 8, kPatch = 0;

}  // namespace

CUDA_API int cusparseCreate(SparseHandle** handle) {
  return device() == nullptr ? kSparseNotInitialized : Sparse::make(handle);
}
CUDA_API int cusparseDestroy(SparseHandle* handle) { return Sparse::destroy(handle); }
CUDA_API int cusparseSetStream(SparseHandle* handle, void* stream) {
  return Sparse::set(handle, &SparseHandle::stream, stream);
}
CUDA_API int cusparseGetStream(const SparseHandle* handle, void** out) {
  return Sparse::get(handle, &SparseHandle::stream, out);
}
CUDA_API int cusparseSetPointerMode(SparseHandle* handle, int mode) {
  return Sparse::set(handle, &SparseHandle::pointer_mode, mode);
}
CUDA_API int cusparseGetPointerMode(const SparseHandle* handle, int* out) {
  return Sparse::get(handle, &SparseHandle::pointer_mode, out);
}
CUDA_API int cusparseGetVersion(const SparseHandle* handle, int* out) {
  constexpr int kThousand = 1000, kHundred = 100;
  return handle == nullptr ? kSparseNotInitialized
                           : Sparse::answer(out, kMajor * kThousand + kMinor * kHundred + kPatch);
}
CUDA_API int cusparseGetProperty(int which, int* out) {
  if (which < 0 || which > 2) return kSparseInvalidValue;
  return Sparse::answer(out, which == 0 ? kMajor : which == 1 ? kMinor : kPatch);
}
CUDA_API const char* cusparseGetErrorName(int status) { return status_name(status).name; }
CUDA_API const char* cusparseGetErrorString(int status) { return status_name(status).text; }

CUDA_API int cusparseCreateMatDescr(MatrixKind** out) { return Sparse::make(out); }
CUDA_API int cusparseDestroyMatDescr(MatrixKind* kind) { return Sparse::destroy(kind); }
#define FIELD(Name, field)                                         \
  CUDA_API int cusparseSetMat##Name(MatrixKind* kind, int value) { \
    return Sparse::set(kind, &MatrixKind::field, value);           \
  }                                                                \
  CUDA_API int cusparseGetMat##Name(const MatrixKind* kind) { return kind == nullptr ? 0 : kind->field; }
FIELD(Type, type)
FIELD(FillMode, fill)
FIELD(DiagType, diagonal)
FIELD(IndexBase, base)
#undef FIELD
