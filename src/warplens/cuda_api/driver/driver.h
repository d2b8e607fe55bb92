// What the calls of the CUDA driver share: they act on the same runtime, and answer in the driver's numbers.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

enum DriverResult : int {
  kDriverSuccess = 0,
  kDriverInvalidValue = 1,
  kDriverNotInitialized = 3,
  kDriverInvalidContext = 201,
  kDriverNotFound = 500,
  kDriverNotSupported = 801,
};

/// The driver's number for one of the runtime's; most are the same.
int driver_result(int error);

/// A context: the primary one of each device, and those that the program makes.
struct Context {
  int device = 0;
  bool primary = false;
  unsigned flags = 0;
};

/// What driver calls keep besides.
struct Driver {
  static Driver& get();
  bool initialized = false;
  std::set<Context*> contexts;
  std::map<int, Context*> primary;                           // by device
  std::map<Module*, std::set<const DeviceName*>> functions;  // handles given out, which are keys of Runtime::functions
  std::map<simt::Address, uint64_t> reserved;                // addresses that cuMemAddressReserve gave out: their bytes
};

/// The contexts of this host thread, the current one last.
std::vector<Context*>& context_stack();
bool has_context();

Context* primary_of(int device);

/// A call of the driver. Where the runtime was called before, it has initialised the driver, and its device's primary
/// context is current.
class DriverCall {
 public:
  DriverCall();
  ~DriverCall() { --calls_of_thread().driver_depth; }
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;
};

/// Runs one call that needs a context that is current, and answers in the driver's numbers. No exception reaches the
/// program.
template <typename F>
int in_context(F work) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  const DriverCall counted;
  if (!Driver::get().initialized) return kDriverNotInitialized;
  if (!has_context()) return kDriverInvalidContext;
  try {
    return driver_result(work(runtime));
  } catch (const std::exception& thrown) {
    return runtime.tell(cudaErrorMemoryAllocation, thrown.what());
  }
}

}  // namespace warplens::cuda_api
