// The recording of `warplens record --emulate`: calls, kernels, copies, fills and waits, at the times that a GPU would
// need.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>

#include "warplens/collect/log/thread_log.h"
#include "warplens/collect/output.h"
#include "warplens/collect/settings/settings.h"
#include "warplens/cuda_api/abi.h"
#include "warplens/cuda_api/host_clock.h"
#include "warplens/gpu/device.h"
#include "warplens/trace/stream/encoder.h"

namespace warplens::cuda_api {

struct Stream;

/// When a stream did something, in ns since the recording began.
struct Span {
  double begin_ns = 0, end_ns = 0;
};

enum class Wait : uint32_t { kEvent = 1, kStream = 3, kDevice = 4 };  // as CUPTI numbers synchronisations
enum class Place : uint32_t { kPageable = 1, kPinned = 2, kDevice = 3, kManaged = 5 };  // and kinds of memory

struct LaunchedKernel {
  std::string name;  // mangled
  std::array<uint32_t, 3> grid, block;
  uint32_t registers, shared_bytes;
};

/// The host's clock here excludes the emulator's own time, and includes a call's cost on a real host instead.
class Recording {
 public:
  /// As `warplens record` asks for it in the environment; nullptr where it does not.
  static std::unique_ptr<Recording> wanted(const gpu::Device& device, int devices, uint64_t memory_bytes);

  /// Around what a call of the runtime does. Calls within calls belong to the outermost. A launch that was refused, and
  /// one of a graph that put nothing on the device, is none: nobody must look for its kernels.
  void begin_call();
  void end_call(const char* name, bool refused);

  /// The time at which the host's next request can reach the GPU.
  double arrival_ns();
  /// The host continues no earlier.
  void wait_until(Wait what, double ns, const Stream* stream);

  void kernel(const LaunchedKernel& kernel, const Span& span, const Stream* stream);
  void copy(Place from, Place to, uint64_t size_bytes, const Span& span, const Stream* stream);
  void fill(Place where, uint64_t size_bytes, const Span& span, const Stream* stream);
  /// `size_bytes` less than 0: given back.
  void allocation(uint64_t address, int64_t size_bytes);

  /// A range, an operator or a step of this thread, at the host's time.
  void host_event(const collect::HostRecord& event);

  /// The cost of recording that is still in the host's time (profile/recording_cost.h).
  void tell_cost(std::string_view key, uint64_t cost_ns);

  /// Writes pending data to the file, unless that happened a short time ago.
  void flush_now_and_then();
  /// Stops all writing.
  void end();
  /// In a forked child, whose parent writes the file.
  void leave() { ended_ = true; }

 private:
  Recording(collect::Settings settings, const gpu::Device& device, int devices, uint64_t memory_bytes);
  double real_ns() const;  // since the recording began
  double host_ns() { return clock_.now_ns(); }
  uint64_t at(double ns) const;  // since 1970
  uint32_t stream_number(const Stream* stream);
  stream::Activity activity(uint32_t site, const Span& span) const;

  collect::Settings settings_;
  collect::Output output_;
  stream::Encoder encoder_;
  std::map<const Stream*, uint32_t> streams_;
  uint64_t start_ns_ = 0;  // when the recording began, since 1970
  HostClock clock_;
  double call_begin_ns_ = 0;  // by the host's clock
  uint64_t correlation_ = 0;
  int depth_ = 0;
  uint64_t worked_ = 0;  // the correlation of the last call that put something on the device
  uint64_t flushed_events_ = 0;
  double flushed_ns_ = 0;  // real time
  bool ended_ = false;
};

/// A call of the runtime while it is being done.
class RecordedCall {
 public:
  RecordedCall(Recording* recording, const char* name) : recording_(recording), name_(name) {
    if (recording_ != nullptr) recording_->begin_call();
  }
  ~RecordedCall() {
    if (recording_ != nullptr) recording_->end_call(name_, refused_);
  }
  void refuse() { refused_ = true; }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;

 private:
  Recording* recording_;
  const char* name_;
  bool refused_ = false;
};

}  // namespace warplens::cuda_api
