// Events for a profiler inside the program (CUPTI's stand-in): calls, kernels, copies and fills, as they happen.
#pragma once
#include <map>
#include <string>

#include "warplens/cuda_api/recording.h"

namespace warplens::cuda_api {

/// Times are of CLOCK_REALTIME, in whole ns: a double would hold them in steps of 256. GPU work begins after its call
/// was made and its stream's earlier work ended, and lasts for its modelled time.
struct ActivityEvent {
  enum class Kind : uint8_t { kCallBegin, kCallEnd, kKernel, kCopy, kFill } kind;
  uint32_t correlation = 0;  // of the call that it belongs to
  const char* call = "";     // of a call: its name
  uint64_t begin_ns = 0, end_ns = 0;
  uint32_t device = 0, stream = 0;
  LaunchedKernel kernel{};
  uint64_t bytes = 0;
  Place from = Place::kDevice, to = Place::kDevice;
};
using ActivityListener = void (*)(const ActivityEvent&);

class ActivityFeed {
 public:
  bool on() const { return listener_ != nullptr; }
  void set_listener(ActivityListener listener) { listener_ = listener; }

  /// Around a call of the runtime. Calls within calls belong to the outermost.
  void begin_call(const char* name);
  void end_call();

  void kernel(const LaunchedKernel& kernel, double ns, const Stream* stream);
  void copy(Place from, Place to, uint64_t size_bytes, double ns, const Stream* stream);
  void fill(Place where, uint64_t size_bytes, double ns, const Stream* stream);

 private:
  void work(ActivityEvent event, double ns, const Stream* stream);

  ActivityListener listener_ = nullptr;
  std::map<const Stream*, std::pair<uint32_t, uint64_t>> streams_;  // number, when it is done with its work
  const char* call_ = "";
  uint64_t call_begin_ns_ = 0;
  uint32_t correlation_ = 0;
  int depth_ = 0;
};

/// A call of the runtime while it is being done.
class HeardCall {
 public:
  HeardCall(ActivityFeed& feed, const char* name) : feed_(feed.on() ? &feed : nullptr) {
    if (feed_ != nullptr) feed_->begin_call(name);
  }
  ~HeardCall() {
    if (feed_ != nullptr) feed_->end_call();
  }
  HeardCall(const HeardCall&) = delete;
  HeardCall& operator=(const HeardCall&) = delete;

 private:
  ActivityFeed* feed_;
};

}  // namespace warplens::cuda_api

extern "C" {
/// One listener gets all later events, each on the thread where it happens; nullptr ends that.
void __cudaWarplensListen(warplens::cuda_api::ActivityListener listener);
}
