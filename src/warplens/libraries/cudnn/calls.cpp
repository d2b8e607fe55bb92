// cuDNN: versions, names of errors, and the functions that are refused by name: those that PyTorch does not call.
#include <cstring>

#include "warplens/libraries/cudnn/handle.h"

using namespace warplens::libraries;

namespace {

constexpr int kVersion = 92600;  // of cuDNN 9.26

}  // namespace

CUDA_API size_t cudnnGetVersion() { return kVersion; }
CUDA_API size_t cudnnGetMaxDeviceVersion() { return kVersion; }
CUDA_API size_t cudnnGetCudartVersion() { return 13000; }
CUDA_API int cudnnGetProperty(int type, int* value) {
  constexpr int kMajor = 0, kMinor = 1, kPatch = 2;
  if (value == nullptr || type < kMajor || type > kPatch) return kDnnBadParameter;
  *value = type == kMajor ? kVersion / 10000 : type == kMinor ? kVersion / 100 % 100 : kVersion % 100;
  return kDnnSuccess;
}
CUDA_API const char* cudnnGetErrorString(int status) {
  switch (status) {
    case kDnnSuccess: return "CUDNN_STATUS_SUCCESS";
    case kDnnNotInitialized: return "CUDNN_STATUS_NOT_INITIALIZED";
    case kDnnBadParameter: return "CUDNN_STATUS_BAD_PARAM";
    case kDnnNotSupported: return "CUDNN_STATUS_NOT_SUPPORTED";
    case kDnnExecutionFailed: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_UNKNOWN_STATUS";
  }
}
CUDA_API void cudnnGetLastErrorString(char* message, size_t size_bytes) {
  if (message == nullptr || size_bytes == 0) return;
  std::strncpy(message, "cuDNN is emulated in part", size_bytes - 1);
  message[size_bytes - 1] = 0;
}

#define CALL(name)                                                                                                     \
  CUDA_API int name() {                                                                                                \
    warplens::libraries::tell_refused(#name,                                                                           \
                                      "the program gets CUDNN_STATUS_NOT_SUPPORTED; graphs, convolutions, batch "      \
                                      "normalisation, recurrent networks, spatial transformers and CTC are emulated"); \
    return kDnnNotSupported;                                                                                           \
  }
#include "warplens/libraries/cudnn/refused.def"
#undef CALL
