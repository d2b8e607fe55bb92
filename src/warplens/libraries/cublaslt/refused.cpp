// cuBLASLt's other functions: each says its name, and that the program gets CUBLAS_STATUS_NOT_SUPPORTED.
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/cublaslt/descriptors.h"
#include "warplens/libraries/queue/queue.h"

#define CALL(name)                                                                                               \
  CUDA_API int name() {                                                                                          \
    warplens::libraries::tell_refused(#name, "the program gets CUBLAS_STATUS_NOT_SUPPORTED; cublasLtMatmul is"); \
    return warplens::libraries::kBlasNotSupported;                                                               \
  }
#include "warplens/libraries/cublaslt/refused.def"
#undef CALL
