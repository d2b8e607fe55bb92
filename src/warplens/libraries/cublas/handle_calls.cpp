// cuBLAS: handles, what they are set to, and copies of vectors and matrices between host and device.
#include "warplens/libraries/cublas/handle.h"

using namespace warplens;
using namespace warplens::libraries;

extern "C" {
int cudaMemcpyAsync(void* target, const void* source, size_t size_bytes, int kind, void* stream);
int cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width_bytes,
                      size_t rows, int kind, void* stream);
int cudaStreamSynchronize(void* stream);
}

namespace warplens::libraries {

int queue_streaming(const BlasHandle& handle, std::string name, double flops, std::vector<TouchedMemory> touches,
                    std::function<Status()> run) {
  double bytes = 0;
  for (const TouchedMemory& t : touches) bytes += static_cast<double>(t.width_bytes) * static_cast<double>(t.rows);
  return blas_status(queue(handle.stream, {.name = std::move(name),
                                           .time = streaming_time(bytes, flops, *device()),
                                           .touches = [touches = std::move(touches)] { return touches; },
                                           .run = std::move(run)}));
}

}  // namespace warplens::libraries

namespace {

constexpr int kVersion = 130400;  // of cuBLAS 13.4
constexpr int kToDevice = 1, kToHost = 2;

/// Elements `from_step` apart become elements `to_step` apart.
int copy_vector(int64_t count, int element_bytes, const void* from, int64_t from_step, void* to, int64_t to_step,
                int kind, void* stream, bool waits) {
  if (count < 0 || element_bytes <= 0 || from_step <= 0 || to_step <= 0) return kBlasInvalidValue;
  const auto bytes = static_cast<size_t>(element_bytes);
  const int error =
      cudaMemcpy2DAsync(to, static_cast<size_t>(to_step) * bytes, from, static_cast<size_t>(from_step) * bytes, bytes,
                        static_cast<size_t>(count), kind, stream);
  return blas_status(error == 0 && waits ? cudaStreamSynchronize(stream) : error);
}

int copy_matrix(int64_t rows, int64_t columns, int element_bytes, const void* from, int64_t from_leading, void* to,
                int64_t to_leading, int kind, void* stream, bool waits) {
  if (rows < 0 || columns < 0 || element_bytes <= 0 || from_leading < rows || to_leading < rows)
    return kBlasInvalidValue;
  const auto bytes = static_cast<size_t>(element_bytes);
  const int error =
      cudaMemcpy2DAsync(to, static_cast<size_t>(to_leading) * bytes, from, static_cast<size_t>(from_leading) * bytes,
                        static_cast<size_t>(rows) * bytes, static_cast<size_t>(columns), kind, stream);
  return blas_status(error == 0 && waits ? cudaStreamSynchronize(stream) : error);
}

}  // namespace

CUDA_API int cublasCreate_v2(BlasHandle** out) {
  return out != nullptr && device() == nullptr ? kBlasNotInitialized : Blas::make(out);
}
CUDA_API int cublasDestroy_v2(BlasHandle* handle) {
  return handle == nullptr ? kBlasNotInitialized : Blas::destroy(handle);
}
CUDA_API int cublasGetVersion_v2(BlasHandle*, int* version) { return Blas::answer(version, kVersion); }
CUDA_API int cublasGetProperty(int type, int* value) {
  constexpr int kMajor = 0, kMinor = 1, kPatch = 2;
  if (value == nullptr || type < kMajor || type > kPatch) return kBlasInvalidValue;
  *value = type == kMajor ? kVersion / 10000 : type == kMinor ? kVersion / 100 % 100 : kVersion % 100;
  return kBlasSuccess;
}
CUDA_API size_t cublasGetCudartVersion() { return 13000; }

CUDA_API int cublasSetStream_v2(BlasHandle* handle, void* stream) {
  return Blas::set(handle, &BlasHandle::stream, stream);
}
CUDA_API int cublasGetStream_v2(BlasHandle* handle, void** stream) {
  return Blas::get(handle, &BlasHandle::stream, stream);
}
/// Nothing needs it here.
CUDA_API int cublasSetWorkspace_v2(BlasHandle* handle, void*, size_t) {
  return handle != nullptr ? kBlasSuccess : kBlasNotInitialized;
}
CUDA_API int cublasSetMathMode(BlasHandle* handle, int mode) { return Blas::set(handle, &BlasHandle::math_mode, mode); }
CUDA_API int cublasGetMathMode(BlasHandle* handle, int* mode) {
  return Blas::get(handle, &BlasHandle::math_mode, mode);
}
CUDA_API int cublasSetPointerMode_v2(BlasHandle* handle, int mode) {
  return Blas::set(handle, &BlasHandle::pointer_mode, mode);
}
CUDA_API int cublasGetPointerMode_v2(BlasHandle* handle, int* mode) {
  return Blas::get(handle, &BlasHandle::pointer_mode, mode);
}
CUDA_API int cublasSetAtomicsMode(BlasHandle* handle, int mode) {
  return Blas::set(handle, &BlasHandle::atomics_mode, mode);
}
CUDA_API int cublasGetAtomicsMode(BlasHandle* handle, int* mode) {
  return Blas::get(handle, &BlasHandle::atomics_mode, mode);
}
CUDA_API int cublasSetSmCountTarget(BlasHandle* handle, int count) {
  return Blas::set(handle, &BlasHandle::sm_count_target, count);
}
CUDA_API int cublasGetSmCountTarget(BlasHandle* handle, int* count) {
  return Blas::get(handle, &BlasHandle::sm_count_target, count);
}
CUDA_API int cublasLoggerConfigure(int, int, int, const char*) { return kBlasSuccess; }

#define STATUS(name, number, text) {number, #name, text},
namespace {
struct StatusText {
  int number;
  const char *name, *text;
};
constexpr StatusText kStatuses[] = {
#include "warplens/libraries/cublas/statuses.def"
};
#undef STATUS
const StatusText& status_text(int number) {
  for (const StatusText& s : kStatuses)
    if (s.number == number) return s;
  static constexpr StatusText kUnknown{0, "unknown status", "unknown status"};
  return kUnknown;
}
}  // namespace
CUDA_API const char* cublasGetStatusName(int status) { return status_text(status).name; }
CUDA_API const char* cublasGetStatusString(int status) { return status_text(status).text; }

// Transfers, with sizes of both widths.
#define TRANSFERS(I, wide)                                                                                         \
  CUDA_API int cublasSetVector##wide(I n, I bytes, const void* x, I step, void* y, I to_step) {                    \
    return copy_vector(n, static_cast<int>(bytes), x, step, y, to_step, kToDevice, nullptr, true);                 \
  }                                                                                                                \
  CUDA_API int cublasGetVector##wide(I n, I bytes, const void* x, I step, void* y, I to_step) {                    \
    return copy_vector(n, static_cast<int>(bytes), x, step, y, to_step, kToHost, nullptr, true);                   \
  }                                                                                                                \
  CUDA_API int cublasSetVectorAsync##wide(I n, I bytes, const void* x, I step, void* y, I to_step, void* stream) { \
    return copy_vector(n, static_cast<int>(bytes), x, step, y, to_step, kToDevice, stream, false);                 \
  }                                                                                                                \
  CUDA_API int cublasGetVectorAsync##wide(I n, I bytes, const void* x, I step, void* y, I to_step, void* stream) { \
    return copy_vector(n, static_cast<int>(bytes), x, step, y, to_step, kToHost, stream, false);                   \
  }                                                                                                                \
  CUDA_API int cublasSetMatrix##wide(I m, I n, I bytes, const void* a, I lda, void* b, I ldb) {                    \
    return copy_matrix(m, n, static_cast<int>(bytes), a, lda, b, ldb, kToDevice, nullptr, true);                   \
  }                                                                                                                \
  CUDA_API int cublasGetMatrix##wide(I m, I n, I bytes, const void* a, I lda, void* b, I ldb) {                    \
    return copy_matrix(m, n, static_cast<int>(bytes), a, lda, b, ldb, kToHost, nullptr, true);                     \
  }                                                                                                                \
  CUDA_API int cublasSetMatrixAsync##wide(I m, I n, I bytes, const void* a, I lda, void* b, I ldb, void* stream) { \
    return copy_matrix(m, n, static_cast<int>(bytes), a, lda, b, ldb, kToDevice, stream, false);                   \
  }                                                                                                                \
  CUDA_API int cublasGetMatrixAsync##wide(I m, I n, I bytes, const void* a, I lda, void* b, I ldb, void* stream) { \
    return copy_matrix(m, n, static_cast<int>(bytes), a, lda, b, ldb, kToHost, stream, false);                     \
  }
TRANSFERS(int, )
TRANSFERS(int64_t, _64)
#undef TRANSFERS
