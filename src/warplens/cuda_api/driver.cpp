#include "warplens/cuda_api/driver.h"

namespace warplens::cuda_api {

int driver_result(int error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection: return kDriverInvalidValue;
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDeviceFunction: return kDriverNotFound;
    default: return error;
  }
}

Driver& Driver::get() {
  static auto* driver = new Driver;  // kept to the very end, as the runtime
  return *driver;
}

std::vector<Context*>& context_stack() {
  thread_local std::vector<Context*> stack;
  return stack;
}

bool has_context() { return !context_stack().empty(); }

}  // namespace warplens::cuda_api
