#include "warplens/cuda_api/driver/driver.h"

namespace warplens::cuda_api {

int driver_result(int error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorInvalidMemcpyDirection: return kDriverInvalidValue;
    case cudaErrorInvalidSymbol: return kDriverNotFound;
    case cudaErrorInvalidDeviceFunction: return cudaErrorInvalidResourceHandle;
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

Context* primary_of(int device) {
  Context*& context = Driver::get().primary[device];
  if (context == nullptr) {
    context = new Context{.device = device, .primary = true, .uses = 0};
    Driver::get().contexts.insert(context);
  }
  return context;
}

DriverCall::DriverCall() {
  CallsOfThread& calls = calls_of_thread();
  ++calls.driver_depth;
  if (!calls.runtime) return;
  calls.runtime = false;  // once: what the program does with contexts from here on stays
  Driver::get().initialized = true;
  Context* const primary = primary_of(current_device());
  primary->of_runtime = true;
  if (!has_context()) context_stack().push_back(primary);
}

bool has_context() { return !context_stack().empty(); }

}  // namespace warplens::cuda_api
