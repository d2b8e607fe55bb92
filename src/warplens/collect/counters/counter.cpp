#include "warplens/collect/counters/counter.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "warplens/collect/counters/counts_file.h"
#include "warplens/collect/counters/kernel_times.h"
#include "warplens/collect/counters/range_profiler.h"
#include "warplens/collect/counters/sampler.h"
#include "warplens/collect/counters/settings.h"
#include "warplens/collect/cupti/calls.h"
#include "warplens/collect/device_facts.h"
#include "warplens/collect/journal.h"

namespace warplens::collect {
namespace {

using cupti::Launch;
using cupti::LaunchCall;

constexpr uint32_t kEnter = 0;                   // CUpti_ApiCallbackSite
constexpr uint32_t kContextDestroyStarting = 2;  // CUpti_CallbackIdResource

/// A CUDA context in which something was to be counted.
struct Context {
  std::unique_ptr<cupti::RangeProfiler> profiler;  // neither this nor the other where counters were refused
  std::unique_ptr<cupti::Sampler> sampler;
  std::vector<Launch> pending;                     // launched since the profiler started
};

class Counter {
 public:
  explicit Counter(CountSettings settings) : settings_(std::move(settings)), choice_(settings_.rules) {}

  std::string attach();
  void stop();
  bool is_range(std::string_view name) const { return choice_.is_range(name); }
  bool wants_ranges() const { return choice_.wants_ranges(); }

 private:
  static void callback(void* user, uint32_t domain, uint32_t id, const void* data);
  void on_call(LaunchCall call, const cupti::CallbackData& data);
  void on_enter(LaunchCall call, const cupti::CallbackData& data);
  void on_exit(const cupti::CallbackData& data);
  Context& context_of(void* handle, uint32_t device);
  void refuse(Context& context, uint32_t device, const std::string& why);
  void describe(uint32_t device, const Context& context, const std::string& refusal);
  void count(Context& context, const Launch& launch);
  void sample(Context& context, const Launch& launch);
  void drain(Context& context);
  void drain_samples(Context& context);
  void write_samples(const Context& context);
  void drain_all();

  CountSettings settings_;
  Choice choice_;
  CountsFile file_;
  cupti::Library cupti_;
  cupti::ProfilerLibrary profiler_;
  cupti::SamplingLibrary sampling_;
  cupti::Cubins cubins_;
  std::map<std::string, uint64_t> sampled_launches_;  // by kernel
  void* subscriber_ = nullptr;
  std::vector<LaunchCall> calls_;  // by callback id
  std::recursive_mutex mutex_;     // held from a launch's begin to its end: one launch at a time
  std::map<void*, Context> contexts_;
  KernelTimes times_;
  Context* counting_ = nullptr;  // of the launch under way, where it is counted
  uint64_t launches_ = 0, graph_launches_ = 0;
  uint64_t captures_ = 0;  // of streams into graphs, under way: nothing may be started or stopped meanwhile
  bool stopped_ = false;
};

Counter* counter = nullptr;  // never destroyed: threads may launch while the process ends
std::atomic<bool> active{false};
thread_local uint32_t ranges_open = 0;  // of the chosen name
thread_local std::vector<bool> range_stack;

std::string Counter::attach() {
  if (std::string problem = cupti_.load(settings_.cupti_paths); !problem.empty()) return problem;
  if (std::string problem = settings_.samples ? sampling_.find(cupti_) : profiler_.find(cupti_); !problem.empty())
    return problem;
  if (const cupti::Result result = cupti_.cuptiSubscribe(&subscriber_, callback, this); result != cupti::kSuccess)
    return cupti_.explain(result);
  if (!file_.open(settings_.output, cupti_.version)) return file_.path() + ": cannot be written";
  for (const cupti::Call& call : cupti::list_calls(cupti_, cupti::kDriverApi)) {
    calls_.push_back(cupti::launch_call(call.name));
    if (calls_.back() != LaunchCall::kNone) cupti_.cuptiEnableCallback(1, subscriber_, cupti::kDriverApi, call.id);
  }
  cupti_.cuptiEnableCallback(1, subscriber_, cupti::kResource, kContextDestroyStarting);
  if (settings_.samples) cupti_.cuptiEnableCallback(1, subscriber_, cupti::kResource, cupti::kModuleLoaded);
  tell_journal(settings_.journal, "file", file_.path());
  return "";
}

void Counter::callback(void* user, uint32_t domain, uint32_t id, const void* data) {
  auto& self = *static_cast<Counter*>(user);
  if (domain == cupti::kDriverApi && id < self.calls_.size() && self.calls_[id] != LaunchCall::kNone)
    return self.on_call(self.calls_[id], *static_cast<const cupti::CallbackData*>(data));
  if (domain != cupti::kResource) return;
  const auto& resource = *static_cast<const cupti::ResourceCallback*>(data);
  const std::lock_guard lock(self.mutex_);
  if (id == cupti::kModuleLoaded) {
    const auto* module = static_cast<const cupti::ModuleResource*>(resource.descriptor);
    if (module != nullptr) self.cubins_.add(module->cubin, module->bytes);
    return;
  }
  const auto found = self.contexts_.find(resource.context);
  if (found == self.contexts_.end()) return;
  self.drain(found->second);
  self.write_samples(found->second);
  if (found->second.profiler) found->second.profiler->close();
  self.contexts_.erase(found);
}

void Counter::on_call(LaunchCall call, const cupti::CallbackData& data) {
  if (data.site == kEnter) {
    mutex_.lock();
    if (!stopped_) on_enter(call, data);
  } else {
    if (!stopped_) on_exit(data);
    mutex_.unlock();
  }
}

void Counter::on_enter(LaunchCall call, const cupti::CallbackData& data) {
  counting_ = nullptr;
  if (call == LaunchCall::kBeginCapture || call == LaunchCall::kGraph) drain_all();
  if (call == LaunchCall::kBeginCapture) ++captures_;
  if (call == LaunchCall::kEndCapture && captures_ > 0) --captures_;
  if (call == LaunchCall::kGraph) ++graph_launches_;
  if (call == LaunchCall::kBeginCapture || call == LaunchCall::kEndCapture || call == LaunchCall::kGraph) return;
  const Launch launch = cupti::read_launch(call, data);
  ++launches_;
  if (!choice_.take(launch.kernel, ranges_open > 0)) return drain_all();
  if (captures_ > 0) return file_.launch(launch, {{}, 0, "a stream is being captured into a graph"});
  if (const std::string why = cupti::why_not_replayed(launch, call); !why.empty()) {
    drain_all();
    return file_.launch(launch, {{}, 0, why});
  }
  count(context_of(data.context, launch.device), launch);
}

void Counter::on_exit(const cupti::CallbackData& data) {
  if (counting_ == nullptr) return;
  Context& context = *counting_;
  counting_ = nullptr;
  const bool failed = data.result != nullptr && *static_cast<const int*>(data.result) != 0;
  if (failed && context.profiler) context.pending.pop_back();
  if (choice_.done() || (context.profiler && context.pending.size() >= context.profiler->capacity())) drain(context);
}

void Counter::sample(Context& context, const Launch& launch) {
  if (!context.sampler->started()) {
    if (const std::string problem = context.sampler->start(); !problem.empty()) {
      refuse(context, launch.device, problem);
      return times_.expect(launch);
    }
  }
  ++sampled_launches_[launch.kernel];
  counting_ = &context;
}

void Counter::count(Context& context, const Launch& launch) {
  if (context.sampler) return sample(context, launch);
  if (!context.profiler) return times_.expect(launch);
  if (!context.profiler->started()) {
    if (const std::string problem = context.profiler->start(); !problem.empty()) {
      refuse(context, launch.device, problem);
      return times_.expect(launch);
    }
  }
  context.pending.push_back(launch);
  counting_ = &context;
}

Context& Counter::context_of(void* handle, uint32_t device) {
  const auto [found, is_new] = contexts_.try_emplace(handle);
  Context& context = found->second;
  if (!is_new) return context;
  std::string problem;
  if (settings_.samples) {
    context.sampler = std::make_unique<cupti::Sampler>(cupti_, sampling_);
    problem = context.sampler->open(handle);
  } else {
    context.profiler = std::make_unique<cupti::RangeProfiler>(cupti_, profiler_);
    problem = context.profiler->open(handle, device, settings_.metrics);
  }
  if (problem.empty()) describe(device, context, "");
  else refuse(context, device, problem);
  return context;
}

/// Counters are not to be had; times are.
void Counter::refuse(Context& context, uint32_t device, const std::string& why) {
  tell_journal(settings_.journal, "refused", why);
  describe(device, context, why);
  context.profiler.reset();
  context.sampler.reset();
  times_.start(cupti_);
}

void Counter::describe(uint32_t ordinal, const Context& context, const std::string& refusal) {
  stream::Device device{};
  std::string name;
  device_facts(ordinal, device, name);
  device.ordinal = ordinal;
  const cupti::RangeProfiler* profiler = context.profiler.get();
  file_.device(device, profiler != nullptr ? profiler->chip() : "",
               profiler != nullptr && refusal.empty() ? &profiler->host() : nullptr, refusal);
}

void Counter::drain_samples(Context& context) {
  if (!context.sampler->started()) return;
  if (const std::string problem = context.sampler->stop(); !problem.empty())
    tell_journal(settings_.journal, "stopped", problem);
}

void Counter::write_samples(const Context& context) {
  if (!context.sampler) return;
  const cupti::Sampler& sampler = *context.sampler;
  file_.sampling(sampler.reasons(), 1U << cupti::Sampler::kPeriodExponent, sampler.samples(), sampler.dropped(),
                 sampled_launches_);
  for (const cupti::PcSamples& place : sampler.take()) {
    const std::vector<char>* cubin = cubins_.find(sampling_, place.cubin_crc);
    cupti::SourceOfPc source;
    source.function = place.function.c_str();
    source.offset = place.offset;
    if (cubin != nullptr) {
      source.cubin = cubin->data();
      source.cubin_bytes = cubin->size();
    }
    const bool known = cubin != nullptr && sampling_.cuptiGetSassToSourceCorrelation(&source) == cupti::kSuccess;
    const auto text = [](const char* part) { return std::string(part != nullptr ? part : ""); };
    const std::string folder = known ? text(source.folder) : "", file = known ? text(source.file) : "";
    const bool absolute = folder.empty() || file.compare(0, 1, "/") == 0;
    file_.place(place, absolute ? file : folder + "/" + file, known ? source.line : 0);
    std::free(source.file);
    std::free(source.folder);
  }
  file_.flush();
}

void Counter::drain(Context& context) {
  if (context.sampler) return drain_samples(context);
  if (!context.profiler || !context.profiler->started()) return;
  std::vector<std::vector<double>> values;
  std::string problem = context.profiler->stop(&values);
  const std::vector<Launch> launches = std::move(context.pending);
  context.pending.clear();
  if (problem.empty() && values.size() != launches.size())
    problem = "CUPTI counted " + std::to_string(values.size()) + " ranges for " + std::to_string(launches.size()) +
              " launches";
  for (size_t i = 0; i < launches.size(); ++i) {
    Counted counted;
    if (problem.empty()) counted.values = std::move(values[i]);
    else counted.skipped = problem;
    file_.launch(launches[i], counted);
  }
  file_.flush();
}

void Counter::drain_all() {
  for (auto& [handle, context] : contexts_) drain(context);
}

void Counter::stop() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  drain_all();
  for (const auto& [handle, context] : contexts_) write_samples(context);
  stopped_ = true;
  times_.finish(cupti_, &file_);
  file_.end(launches_, graph_launches_);
  file_.close();
}

void in_forked_child() { active.store(false); }

void create_counter() {
  counter = new Counter(count_settings_from_environment());
  if (const std::string problem = counter->attach(); !problem.empty())
    return tell_journal(count_settings_from_environment().journal, "refused", problem);
  active.store(true);
  ::pthread_atfork(nullptr, nullptr, in_forked_child);
  std::atexit(stop_counter);
}

}  // namespace

bool counting_is_asked() { return std::getenv(kCountOutputVariable) != nullptr; }

void attach_counter() {
  static std::once_flag once;
  std::call_once(once, create_counter);
}

void count_host_event(HostEvent event, std::string_view text) {
  if (!active.load(std::memory_order_acquire) || !counter->wants_ranges()) return;
  if (event == HostEvent::kPush) {
    range_stack.push_back(counter->is_range(text));
    ranges_open += range_stack.back();
  } else if (event == HostEvent::kPop && !range_stack.empty()) {
    ranges_open -= range_stack.back();
    range_stack.pop_back();
  }
}

void stop_counter() {
  if (active.exchange(false)) counter->stop();
}

}  // namespace warplens::collect
