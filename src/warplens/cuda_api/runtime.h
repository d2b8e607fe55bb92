// The one emulated runtime of a process: its GPU, memory, modules, streams and errors. Calls of the CUDA runtime act on
// it.
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/cuda_api/abi.h"
#include "warplens/cuda_api/activity.h"
#include "warplens/cuda_api/call_site.h"
#include "warplens/cuda_api/graph.h"
#include "warplens/cuda_api/launch_watch.h"
#include "warplens/cuda_api/module.h"
#include "warplens/cuda_api/recording.h"
#include "warplens/cuda_api/sharing.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/gpu/device.h"
#include "warplens/simt/memory/memory.h"
#include "warplens/simt/texture/texture.h"

namespace warplens::cuda_api {

/// Work is done when it is requested, which is one of the orders that CUDA allows. A stream's clock shows the GPU's
/// time.
struct Stream {
  Graph* captured_into = nullptr;            // its work goes there
  bool has_graph = false;                    // which the program knows: it need not ask for it again
  uint64_t captured_works = 0;               // so far
  std::vector<const Node*> behind;           // dependencies of its next captured work
  std::map<const Stream*, uint64_t> joined;  // of those of other streams, how many it waits for
  bool unsafe_calls = false;                 // are allowed while it is captured
  int priority = 0;
  uint32_t flags = 0;  // 1: does not wait for the legacy default stream
  int device = 0;
  double clock_ns = 0;
  std::map<int, std::array<uint8_t, 64>> attributes;  // set by cudaStreamSetAttribute: no effect
};

struct Event {
  Graph* captured_into = nullptr;            // a captured stream recorded it: streams that wait for it are captured too
  std::map<const Stream*, uint64_t> joined;  // streams that it waits for, itself included
  std::vector<const Node*> behind;           // the nodes of its work
  bool recorded = false, timed = true;
  bool of_processes = false;  // others may open it
  int device = 0;
  double at_ns = 0;  // its stream's clock when it was recorded
};

/// A registration from before main: a host function or variable that refers to one of the device.
struct DeviceName {
  Module* module = nullptr;
  std::string name;
};

enum class Storage : uint8_t { kDevice, kPinned, kManaged };
struct Allocation {
  Storage storage = Storage::kDevice;
  uint64_t size_bytes = 0;
  int device = 0;
  const char* call = "";    // that made it; none: a managed variable, which is never freed
  uint64_t number = 0;      // of the allocation, from 1
  CallSite site;            // of the program; none where leaks are not looked for
  bool is_mapped = false;   // it was put there by a call that maps memory, and another one takes it away
  void* context = nullptr;  // of the driver, current when its call allocated; none: the device's primary one
  bool is_variable() const { return *call == '\0'; }
};

/// A CUDA array, behind its handle.
struct Array {
  simt::Image image;
  ChannelDescription channels{};
  Extent extent{};
  unsigned flags = 0;
  bool is_level = false;  // of a mipmapped array, which ends it
};

/// A mipmapped array, behind its handle.
struct Mipmap {
  std::vector<Array*> levels;  // the largest first
};

/// The parameters of a texture or surface object.
struct DescribedTexture {
  ResourceDescription resource{};
  TextureDescription how{};
};

struct Runtime {
  /// The process's own, as collect::EmulationSettings describe it.
  static Runtime& get();

  std::recursive_mutex mutex;  // of all below: a call holds it to its end
  const gpu::Device* device = nullptr;
  int devices = 1;
  Status problem;  // why there is no GPU to emulate
  simt::Memory memory;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<const void*, DeviceName> functions, variables;
  std::map<simt::Address, Allocation> allocations;  // by first byte
  uint64_t allocated = 0;                           // how many there were
  uint64_t unasked_bytes = 0;                       // allocated since the system's free memory was read
  std::map<simt::Address, uint64_t> registered;     // host memory by first byte: its size
  std::map<Array*, std::unique_ptr<Array>> arrays;
  std::map<Mipmap*, std::unique_ptr<Mipmap>> mipmaps;
  simt::TextureTable textures;                                // and surfaces
  std::map<uint32_t, DescribedTexture> texture_descriptions;  // by number
  static constexpr int kMostDevices = 64;
  std::array<Stream, kMostDevices> legacy;  // of each device: its default stream
  Stream* working = legacy.data();          // whose work is running
  bool timed = false;                       // the program has made an event: clocks are kept from then on
  double host_waited_ns = 0;                // the end of its waits for streams: its next request begins no earlier
  std::set<Stream*> streams;
  Residents residents;
  std::set<Event*> events;
  std::map<Graph*, std::unique_ptr<Graph>> graphs;
  int captures = 0;  // under way
  /// Of allocation nodes, which stays at its address from launch to launch: does a node or a call give it back?
  std::map<simt::Address, bool> graph_memory;
  std::map<GraphExec*, std::unique_ptr<GraphExec>> graph_execs;
  std::set<std::pair<int, int>> peers;   // (device, its peer)
  Error sticky = cudaSuccess;            // a kernel's fault: every later call returns it
  size_t limits[8]{};                    // cudaDeviceSetLimit, by its number
  int cache_config = 0;                  // cudaDeviceSetCacheConfig
  std::unique_ptr<Recording> recording;  // none: not used
  std::optional<HostTime> host_time;     // since the first event that is timed, where nothing is recorded
  ActivityFeed activities;
  LaunchWatch launch_watch;
  std::vector<simt::sass_machine::L2Contents> l2s;  // of each device
  std::set<std::string> told;                       // on standard error
  std::string printed;                              // by kernels, since the program last waited for one

  bool has_device(int number) const { return number >= 0 && number < devices; }
  /// The stream behind a handle; nullptr if there is none. 0, 1 and 2 are the default streams.
  Stream* stream(void* handle);
  bool is_legacy(const Stream* stream) const { return stream == &legacy[static_cast<size_t>(stream->device)]; }
  /// The allocation that holds [address, address + size), or nullptr.
  const Allocation* holder(const void* pointer, uint64_t size_bytes) const;
  /// Whether cudaHostRegister's memory holds it.
  bool is_registered(const void* pointer) const;
  /// Explains on standard error an answer that an error number cannot express, each text once.
  Error tell(Error error, const std::string& what);
  /// Flushes printf output of kernels to the program's output, as CUDA does: at launches, copies and synchronisations.
  void flush_printed();
  /// A kernel has done wrong: every later call says so.
  void lose(Error error);
  uint64_t memory_bytes() const;  // of the GPU
  /// The L2 cache of the device that works now.
  simt::sass_machine::L2Contents& l2() { return l2s[static_cast<size_t>(working->device)]; }
  /// A copy, a fill or a library reads or writes these bytes of the device.
  void pass_l2(const void* begin, uint64_t size_bytes) {
    if (timed) l2().touch_bytes(reinterpret_cast<uintptr_t>(begin), size_bytes);
  }
  /// Notes that a node or a call gives memory of a graph back. False if the memory is not of a graph.
  bool give_back_graph_memory(simt::Address begin) {
    const auto found = graph_memory.find(begin);
    if (found == graph_memory.end()) return false;
    found->second = true;
    return true;
  }
  bool checks(uint8_t what) const { return (launch_watch.checks & what) != 0; }

 private:
  Runtime();
};

/// cudaDeviceGetAttribute, for those who hold the runtime.
Error device_attribute(const Runtime& runtime, int* value, int attribute, int device);

/// cudaGetLastError's, of this host thread.
Error& last_error();

/// A copy that the host waits for.
inline bool is_waiting_copy(std::string_view call) {
  return call.starts_with("cudaMemcpy") && call.find("Async") == std::string_view::npos;
}

/// True if this host thread has called the runtime, and its depth in driver calls, which call the runtime too.
struct CallsOfThread {
  bool runtime = false;
  int driver_depth = 0;
};
CallsOfThread& calls_of_thread();

/// Made before a call takes the lock. When the outermost call of a thread has released the lock, tensors.h asks Python
/// for the tensors that defects concern. Under the lock, a thread that holds Python's lock might wait for this one.
class OutermostCall {
 public:
  OutermostCall() { ++depth(); }
  ~OutermostCall();
  OutermostCall(const OutermostCall&) = delete;
  OutermostCall& operator=(const OutermostCall&) = delete;

 private:
  static int& depth();
};

/// A call of the runtime while it is being done, for the program's events.
class HostedCall {
 public:
  explicit HostedCall(Runtime& runtime) : runtime_(runtime), followed_(runtime.host_time.has_value()) {
    if (followed_) runtime.host_time->begin_call();
  }
  ~HostedCall() {
    if (followed_) runtime_.host_time->end_call(runtime_.host_waited_ns);
  }
  HostedCall(const HostedCall&) = delete;
  HostedCall& operator=(const HostedCall&) = delete;

 private:
  Runtime& runtime_;
  bool followed_;
};

/// Runs one call under the lock. After a sticky error it fails at once; it remembers its error. No exception reaches
/// the program. `name`: the calling function's name.
template <typename F>
Error call(F work, const char* name = __builtin_FUNCTION()) {
  Runtime& runtime = Runtime::get();
  const OutermostCall outermost;
  const std::lock_guard lock(runtime.mutex);
  const HostedCall hosted(runtime);
  RecordedCall recorded(runtime.recording.get(), name);
  const HeardCall heard(runtime.activities, name);
  if (calls_of_thread().driver_depth == 0) calls_of_thread().runtime = true;
  Error error = runtime.sticky;
  if (error == cudaSuccess && !runtime.problem.ok()) error = cudaErrorNoDevice;
  if (error == cudaSuccess) {
    try {
      error = work(runtime);
    } catch (const std::exception& thrown) {
      error = runtime.tell(cudaErrorMemoryAllocation, thrown.what());
    }
  }
  if (error != cudaSuccess) recorded.refuse();
  if (is_waiting_copy(name)) runtime.host_waited_ns = std::max(runtime.host_waited_ns, runtime.working->clock_ns);
  const bool of_driver = calls_of_thread().driver_depth > 0;  // calls that leave the runtime's last error unchanged
  if (error != cudaSuccess && error != cudaErrorNotReady && !of_driver) last_error() = error;
  return error;
}

/// A call that is wrong in any state of the runtime.
inline Error refused(Error error, const char* name = __builtin_FUNCTION()) {
  return call([&](Runtime&) { return error; }, name);
}

}  // namespace warplens::cuda_api
