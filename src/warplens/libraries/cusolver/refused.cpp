// cuSOLVER's other functions: each says its name, and that the program gets CUSOLVER_STATUS_NOT_SUPPORTED.
#include "warplens/libraries/cusolver/handle.h"

#define CALL(name)                                                                                             \
  CUDA_API int name() {                                                                                        \
    warplens::libraries::tell_refused(#name,                                                                   \
                                      "the program gets CUSOLVER_STATUS_NOT_SUPPORTED; cusolverDn's "          \
                                      "getrf, potrf, geqrf, syevd, gesvd and similar functions are emulated"); \
    return warplens::libraries::kSolverNotSupported;                                                           \
  }
#include "warplens/libraries/cusolver/refused.def"
#undef CALL
