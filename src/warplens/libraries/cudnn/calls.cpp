// cuDNN: what programs ask before they use it. PyTorch is told not to (cuda_api/torch_settings.h); what is called all
// the same is refused by name.
#include <cstring>

#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/queue/queue.h"

namespace {

constexpr int kVersion = 92600;  // of cuDNN 9.26
constexpr int kSuccess = 0, kBadParameter = 2000, kNotSupported = 3000;

}  // namespace

CUDA_API size_t cudnnGetVersion() { return kVersion; }
CUDA_API size_t cudnnGetMaxDeviceVersion() { return kVersion; }
CUDA_API size_t cudnnGetCudartVersion() { return 13000; }
CUDA_API int cudnnGetProperty(int type, int* value) {
  constexpr int kMajor = 0, kMinor = 1, kPatch = 2;
  if (value == nullptr || type < kMajor || type > kPatch) return kBadParameter;
  *value = type == kMajor ? kVersion / 10000 : type == kMinor ? kVersion / 100 % 100 : kVersion % 100;
  return kSuccess;
}
CUDA_API const char* cudnnGetErrorString(int status) {
  return status == kSuccess ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_NOT_SUPPORTED (cuDNN is not emulated)";
}
CUDA_API void cudnnGetLastErrorString(char* message, size_t size_bytes) {
  if (message == nullptr || size_bytes == 0) return;
  std::strncpy(message, "cuDNN is not emulated", size_bytes - 1);
  message[size_bytes - 1] = 0;
}

#define CALL(name)                                                                                                   \
  CUDA_API int name() {                                                                                              \
    warplens::libraries::tell_refused(#name,                                                                         \
                                      "the program gets CUDNN_STATUS_NOT_SUPPORTED; PyTorch has kernels of its own " \
                                      "while torch.backends.cudnn.enabled is False, which emulation sets");          \
    return kNotSupported;                                                                                            \
  }
#include "warplens/libraries/cudnn/refused.def"
#undef CALL
