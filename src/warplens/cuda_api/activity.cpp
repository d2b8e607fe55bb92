#include "warplens/cuda_api/activity.h"

#include <algorithm>
#include <cmath>

#include "warplens/collect/process/clock.h"
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

void ActivityFeed::begin_call(const char* name) {
  if (depth_++ > 0) return;
  call_ = name;
  call_begin_ns_ = collect::now_ns();
  ++correlation_;
  listener_({.kind = ActivityEvent::Kind::kCallBegin,
             .correlation = correlation_,
             .call = call_,
             .begin_ns = call_begin_ns_});
}

void ActivityFeed::end_call() {
  if (--depth_ > 0 || listener_ == nullptr) return;
  listener_({.kind = ActivityEvent::Kind::kCallEnd,
             .correlation = correlation_,
             .call = call_,
             .begin_ns = call_begin_ns_,
             .end_ns = collect::now_ns()});
}

void ActivityFeed::work(ActivityEvent event, double ns, const Stream* stream) {
  if (listener_ == nullptr) return;
  constexpr uint32_t kDefaultStream = 7, kFirstStream = 13;  // as CUPTI numbers them
  const uint32_t number =
      Runtime::get().is_legacy(stream) ? kDefaultStream : kFirstStream + static_cast<uint32_t>(streams_.size());
  auto& [known, busy_until_ns] = streams_.try_emplace(stream, number, uint64_t{0}).first->second;
  event.correlation = correlation_;
  event.device = static_cast<uint32_t>(current_device());
  event.stream = known;
  event.begin_ns = std::max(collect::now_ns(), busy_until_ns);
  event.end_ns = busy_until_ns = event.begin_ns + static_cast<uint64_t>(std::llround(ns));
  listener_(event);
}

void ActivityFeed::kernel(const LaunchedKernel& kernel, double ns, const Stream* stream) {
  work({.kind = ActivityEvent::Kind::kKernel, .kernel = kernel}, ns, stream);
}

void ActivityFeed::copy(Place from, Place to, uint64_t size_bytes, double ns, const Stream* stream) {
  work({.kind = ActivityEvent::Kind::kCopy, .bytes = size_bytes, .from = from, .to = to}, ns, stream);
}

void ActivityFeed::fill(Place where, uint64_t size_bytes, double ns, const Stream* stream) {
  work({.kind = ActivityEvent::Kind::kFill, .bytes = size_bytes, .to = where}, ns, stream);
}

}  // namespace warplens::cuda_api

CUDA_API void __cudaWarplensListen(warplens::cuda_api::ActivityListener listener) {
  auto& runtime = warplens::cuda_api::Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.activities.set_listener(listener);
  runtime.timed = runtime.timed || listener != nullptr;
}
