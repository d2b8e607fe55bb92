// cuSPARSE's other functions: each says its name, and that the program gets CUSPARSE_STATUS_NOT_SUPPORTED.
#include "warplens/libraries/cusparse/handle.h"

#define CALL(name)                                                                                                    \
  CUDA_API int name() {                                                                                               \
    warplens::libraries::tell_refused(#name,                                                                          \
                                      "the program gets CUSPARSE_STATUS_NOT_SUPPORTED; the generic functions (SpMV, " \
                                      "SpMM, SpGEMM, SDDMM, SpSV, SpSM), csrgeam2 and those of blocks are emulated"); \
    return warplens::libraries::kSparseNotSupported;                                                                  \
  }
#include "warplens/libraries/cusparse/refused.def"
#undef CALL
