// cuBLAS's other functions: each says its name, and that the program gets CUBLAS_STATUS_NOT_SUPPORTED.
#include "warplens/libraries/cublas/handle.h"

#define CALL(name)                                                                                   \
  CUDA_API int name() {                                                                              \
    warplens::libraries::tell_refused(#name,                                                         \
                                      "the program gets CUBLAS_STATUS_NOT_SUPPORTED; cublas*gemm*, " \
                                      "*trsm*, *getrf* and similar functions are");                  \
    return warplens::libraries::kBlasNotSupported;                                                   \
  }
#include "warplens/libraries/cublas/refused.def"
#undef CALL
