// Every other call of NVML: as a GPU answers that does not have what is asked.
#include "warplens/cuda_api/nvml/nvml.h"

using namespace warplens::cuda_api;

namespace {

int answer() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  return nvml_users() == 0 ? kNvmlUninitialised : kNvmlNotSupported;
}

}  // namespace

#define CALL(name) \
  CUDA_API int name() { return answer(); }
#include "warplens/cuda_api/nvml/not_supported.def"
#undef CALL
