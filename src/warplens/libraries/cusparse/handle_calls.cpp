// cuSPARSE: handles, the descriptors of its older functions, versions and names of errors.
#include "warplens/libraries/cusparse/handle.h"

using namespace warplens::libraries;

namespace {

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
