#include "warplens/cuda_api/recording.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "warplens/base/stand_in.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/collect/host_events.h"
#include "warplens/collect/process/clock.h"
#include "warplens/collect/process/journal.h"
#include "warplens/collect/recorder.h"
#include "warplens/cuda_api/runtime.h"
#include "warplens/trace/profile/recording_cost.h"

namespace warplens::cuda_api {
namespace {

constexpr double kFlushNs = 2e8;  // of real time: a program that is killed loses what is younger
constexpr uint32_t kDefaultStream = 7, kFirstStream = 13, kContext = 1;  // as CUPTI numbers them

struct CallCost {
  std::string_view part;
  double ns;
};
constexpr CallCost kCallCosts[] = {
#define CALL_COST(part, ns) {part, ns},
#include "warplens/cuda_api/call_costs.def"
#undef CALL_COST
};
double call_cost_ns(std::string_view call) {
  return std::ranges::find_if(kCallCosts, [&](const CallCost& each) { return contains(call, each.part); })->ns;
}

/// What asks, and does nothing.
bool is_question(std::string_view call) {
  return contains(call, "Get") || contains(call, "Query") || contains(call, "Occupancy") || call.starts_with("__");
}

uint32_t copy_kind(Place from, Place to) {
  constexpr uint32_t kHostToDevice = 1, kDeviceToHost = 2, kWithinDevice = 8, kWithinHost = 9;
  const bool reads = from == Place::kDevice || from == Place::kManaged,
             writes = to == Place::kDevice || to == Place::kManaged;
  return reads ? (writes ? kWithinDevice : kDeviceToHost) : writes ? kHostToDevice : kWithinHost;
}

/// A busy computer makes host times longer. `share`: of the whole time.
void tell_waits(double share, double waited_ns, const std::string& journal) {
  constexpr double kTold = 0.05;
  if (share < kTold) return;
  collect::tell_journal(
      journal, "note",
      fmt::format("the computer was busy: threads waited {} for a processor. This time is left out, but the "
                  "host's times are still longer than on an idle computer",
                  format_ns(waited_ns)));
}

uint32_t thread_id() { return static_cast<uint32_t>(::syscall(SYS_gettid)); }
uint32_t device_number() { return static_cast<uint32_t>(current_device()); }

stream::Device described(const gpu::Device& device, const std::string& name, uint32_t number, uint64_t memory_bytes) {
  const gpu::Arch& arch = device.architecture();
  return {.ordinal = number,
          .name = name,
          .memory_bytes = memory_bytes,
          .sm_count = static_cast<uint32_t>(device.sms),
          .compute_major = static_cast<uint32_t>(arch.major),
          .compute_minor = static_cast<uint32_t>(arch.minor),
          .max_threads_per_sm = static_cast<uint32_t>(arch.warps_per_sm * 32),
          .registers_per_sm = static_cast<uint32_t>(arch.registers_per_sm),
          .shared_bytes_per_sm = static_cast<uint32_t>(arch.shared_bytes_per_sm),
          .warp_size = 32};
}

Recording* recorded = nullptr;  // that of the process, for its end

/// Flushes while the program makes no calls. A call that takes long holds the lock, and has flushed where it began.
void flush_for_ever() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<int64_t>(kFlushNs)));
    Runtime& runtime = Runtime::get();
    if (const std::unique_lock lock(runtime.mutex, std::try_to_lock); lock.owns_lock() && runtime.recording != nullptr)
      runtime.recording->flush_now_and_then();
  }
}

void take_host_event(const collect::HostRecord& event) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.recording != nullptr) runtime.recording->host_event(event);
}

void take_cost(std::string_view key, uint64_t cost_ns) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.recording != nullptr) runtime.recording->tell_cost(key, cost_ns);
}

void end_recording() {
  if (recorded != nullptr) recorded->end();
}

/// Ranges may come before the first call of CUDA.
[[maybe_unused]] const bool takes_host_events = [] {
  if (std::getenv(collect::kOutputVariable) != nullptr)
    collect::send_host_events({take_host_event, take_cost, end_recording});
  return true;
}();

}  // namespace

std::unique_ptr<Recording> Recording::wanted(const gpu::Device& device, int devices, uint64_t memory_bytes) {
  if (std::getenv(collect::kOutputVariable) == nullptr) return nullptr;
  auto made =
      std::unique_ptr<Recording>(new Recording(collect::settings_from_environment(), device, devices, memory_bytes));
  recorded = made.get();
  std::atexit(end_recording);
  ::pthread_atfork(nullptr, nullptr, [] { recorded->leave(); });  // the parent writes the file
  std::thread(flush_for_ever).detach();
  return made;
}

Recording::Recording(collect::Settings settings, const gpu::Device& device, int devices, uint64_t memory_bytes)
    : settings_(std::move(settings)), output_(settings_.output, 0, 0), encoder_(output_), start_ns_(collect::now_ns()) {
  output_.open();
  collect::tell_journal(settings_.journal, output_.failure().empty() ? "file" : "stopped",
                        output_.failure().empty() ? output_.path() : output_.failure());
  encoder_.metadata("process", std::to_string(::getpid()));
  encoder_.metadata("emulated", fmt::format("\"{}\"", device.key));
  tell_cost(kCallCost, 0);  // calls cost what call_costs.def says
  encoder_.clock(start_ns_, collect::clock_ns(CLOCK_MONOTONIC_RAW));
  const std::string name = fmt::format("NVIDIA {}{}", device.name, kEmulatedMark);
  for (int i = 0; i < devices; ++i) encoder_.device(described(device, name, static_cast<uint32_t>(i), memory_bytes));
}

double Recording::real_ns() const { return static_cast<double>(collect::now_ns() - start_ns_); }

void Recording::begin_call() {
  if (depth_ == 0) {
    clock_.stop();
    call_begin_ns_ = host_ns();
    ++correlation_;
    flush_now_and_then();
  }
  ++depth_;
}

void Recording::end_call(const char* name, bool refused) {
  if (--depth_ > 0) return;
  const std::string_view call = name;
  if (is_waiting_copy(call)) clock_.add(std::max(Runtime::get().working->clock_ns - host_ns(), 0.0));
  clock_.add(call_cost_ns(call));
  const double end_ns = host_ns();
  const bool is_launch = refused ? contains(call, "Launch") : contains(call, "GraphLaunch");
  if (!ended_ && !is_question(call) && (!is_launch || worked_ == correlation_)) {
    const uint32_t site = encoder_.site(stream::CallSite{encoder_.text(call), 0, thread_id()});
    encoder_.call(activity(site, {call_begin_ns_, end_ns}));
  }
  clock_.go();
}

void Recording::flush_now_and_then() {
  if (ended_ || encoder_.events() == flushed_events_ || real_ns() < flushed_ns_ + kFlushNs) return;
  encoder_.flush();
  flushed_events_ = encoder_.events();
  flushed_ns_ = real_ns();
}

void Recording::host_event(const collect::HostRecord& event) {
  if (ended_) return;
  const bool between_calls = depth_ == 0;
  if (between_calls) clock_.stop();
  collect::encode_host_event(encoder_, thread_id(), at(host_ns()), event);
  if (between_calls) clock_.go();
}

void Recording::tell_cost(std::string_view key, uint64_t cost_ns) {
  if (!ended_) encoder_.metadata(key, std::to_string(cost_ns));
}

double Recording::arrival_ns() { return host_ns() + call_cost_ns("Launch"); }

void Recording::wait_until(Wait what, double ns, const Stream* stream) {
  const double begin_ns = host_ns();
  clock_.add(std::max(ns - begin_ns, 0.0));
  if (ended_) return;
  const uint32_t site = encoder_.site(stream::SyncSite{static_cast<uint32_t>(what), device_number() + 1, kContext,
                                                       what == Wait::kStream ? stream_number(stream) : UINT32_MAX});
  encoder_.sync(activity(site, {begin_ns, std::max(ns, begin_ns)}));
}

uint32_t Recording::stream_number(const Stream* stream) {
  if (stream == nullptr || Runtime::get().is_legacy(stream)) return kDefaultStream;
  return streams_.try_emplace(stream, kFirstStream + static_cast<uint32_t>(streams_.size())).first->second;
}

uint64_t Recording::at(double ns) const { return start_ns_ + static_cast<uint64_t>(std::max(ns, 0.0)); }

stream::Activity Recording::activity(uint32_t site, const Span& span) const {
  return {.site = site, .start_ns = at(span.begin_ns), .end_ns = at(span.end_ns), .correlation = correlation_};
}

void Recording::kernel(const LaunchedKernel& k, const Span& span, const Stream* stream) {
  if (ended_) return;
  worked_ = correlation_;
  stream::KernelSite site{encoder_.text(k.name), device_number(), kContext, stream_number(stream), {}, {},
                          k.registers,           k.shared_bytes};
  std::ranges::copy(k.grid, site.grid);
  std::ranges::copy(k.block, site.block);
  encoder_.kernel(activity(encoder_.site(site), span));
}

void Recording::copy(Place from, Place to, uint64_t size_bytes, const Span& span, const Stream* stream) {
  if (ended_) return;
  worked_ = correlation_;
  const stream::CopySite site{
      copy_kind(from, to),  static_cast<uint32_t>(from), static_cast<uint32_t>(to), device_number(), kContext,
      stream_number(stream)};
  stream::Activity done = activity(encoder_.site(site), span);
  done.bytes = size_bytes;
  encoder_.copy(done);
}

void Recording::fill(Place where, uint64_t size_bytes, const Span& span, const Stream* stream) {
  if (ended_) return;
  worked_ = correlation_;
  const stream::SetSite site{static_cast<uint32_t>(where), device_number(), kContext, stream_number(stream)};
  stream::Activity done = activity(encoder_.site(site), span);
  done.bytes = size_bytes;
  encoder_.set(done);
}

void Recording::allocation(uint64_t address, int64_t size_bytes) {
  if (ended_ || !settings_.memory) return;
  encoder_.allocation(thread_id(), at(host_ns()), address, size_bytes, current_device());
}

void Recording::end() {
  if (ended_) return;
  ended_ = true;
  tell_waits(clock_.waited_ns() / std::max(real_ns(), 1.0), clock_.waited_ns(), settings_.journal);
  encoder_.end();
  encoder_.flush();
  output_.end_file();
}

}  // namespace warplens::cuda_api
