// The shared part of the CUDA driver's calls: they act on the same runtime, and return the driver's error numbers.
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
  int uses = 1;             // cuCtxAttach and cuCtxDetach count them; of a primary context, cuDevicePrimaryCtxRetain
  bool of_runtime = false;  // the runtime uses this primary context
  uint32_t sms = 0;         // of a green context, whose handle is the same; 0: it has the whole GPU
  uint64_t number = 0;      // among the green ones
  bool is_active() const { return uses > 0 || of_runtime; }
};

/// SMs that a green context is made of.
struct SmShare {
  int device;
  uint32_t sms;
};

/// Additional state of driver calls.
struct Driver {
  static Driver& get();
  bool initialized = false;
  std::set<Context*> contexts;
  std::map<int, Context*> primary;                           // by device
  std::map<Module*, std::set<const DeviceName*>> functions;  // handles given out, which are keys of Runtime::functions
  std::map<simt::Address, uint64_t> reserved;                // addresses that cuMemAddressReserve gave out: their bytes
  std::map<Stream*, Context*> contexts_of_streams;           // that the driver's calls made
  std::map<Event*, Context*> contexts_of_events;             // the same
  std::vector<std::unique_ptr<SmShare>> shares;              // descriptors for green contexts
  uint64_t green_contexts = 0;                               // so far
};

/// The contexts of this host thread, the current one last.
std::vector<Context*>& context_stack();
bool has_context();

Context* primary_of(int device);
/// The context behind a handle, or the current one where it is 0; nullptr if there is none.
Context* find_context(void* handle);
/// Memory, streams and events that were made in it go with it.
void end_context(Runtime& runtime, Context* context);

/// A call of the driver. Where the runtime was called before, it has initialised the driver, and its device's primary
/// context is current.
class DriverCall {
 public:
  DriverCall();
  ~DriverCall() { --calls_of_thread().driver_depth; }
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;
};

/// Runs one call of an initialised driver and answers in its numbers. No exception reaches the program.
/// `needs_context`: one must be current.
template <typename F>
int in_driver(F work, bool needs_context = false) {
  Runtime& runtime = Runtime::get();
  const OutermostCall outermost;
  const std::lock_guard lock(runtime.mutex);
  const DriverCall counted;
  if (!Driver::get().initialized) return kDriverNotInitialized;
  if (needs_context && !has_context()) return kDriverInvalidContext;
  try {
    return driver_result(work(runtime));
  } catch (const std::exception& thrown) {
    return runtime.tell(cudaErrorMemoryAllocation, thrown.what());
  }
}
template <typename F>
int in_context(F work) {
  return in_driver(work, true);
}
inline bool is_default_stream(const void* stream) {
  constexpr uintptr_t kLastDefaultStream = 2;
  return reinterpret_cast<uintptr_t>(stream) <= kLastDefaultStream;
}
/// A call that takes a stream: one that the program made knows its own context, the default streams are the current
/// context's.
template <typename F>
int on_stream(const void* stream, F work) {
  return in_driver(work, is_default_stream(stream));
}

}  // namespace warplens::cuda_api
