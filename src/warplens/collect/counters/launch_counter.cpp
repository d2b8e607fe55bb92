#include "warplens/collect/counters/launch_counter.h"

#include <cstdlib>

#include "warplens/collect/counters/counter.h"
#include "warplens/collect/counters/inside.h"
#include "warplens/collect/cupti/calls.h"
#include "warplens/collect/process/journal.h"

namespace warplens::collect {

using cupti::Launch;
using cupti::LaunchCall;

namespace {

constexpr uint32_t kEnter = 0;                   // CUpti_ApiCallbackSite
constexpr uint32_t kContextDestroyStarting = 2;  // CUpti_CallbackIdResource

thread_local uint32_t calls_entered = 0;

}  // namespace

std::string LaunchCounter::attach() {
  if (std::string problem = cupti_.load(settings_.cupti_paths); !problem.empty()) return problem;
  if (std::string problem = find_functions(); !problem.empty()) return problem;
  if (const cupti::Result result = cupti_.cuptiSubscribe(&subscriber_, callback, this); result != cupti::kSuccess)
    return cupti_.explain(result);
  for (const cupti::Call& call : cupti::list_calls(cupti_, cupti::kDriverApi)) {
    calls_.push_back(cupti::launch_call(call.name));
    memory_calls_.push_back(settings_.wanted != Wanted::kMetrics ? cupti::MemoryCall::kNone
                                                                 : cupti::memory_call(call.name));
  }
  const std::vector<cupti::Call> calls = cupti::list_calls(cupti_, cupti::kRuntimeApi);
  for (const cupti::Call& call : calls) runtime_calls_.push_back(cupti::profiler_call(call.name));
  return begin();
}

std::string LaunchCounter::find_functions() {
  if (settings_.wanted == Wanted::kMetrics) return profiler_.find(cupti_);
  WL_CUPTI_TRY(cubins_.find_function(cupti_));
  if (settings_.wanted == Wanted::kSamples) return sampling_.find(cupti_);
  WL_CUPTI_TRY(settings_.wanted == Wanted::kInstructions ? sass_.find(cupti_) : pm_.find(cupti_));
  return profiler_.find(cupti_);
}

std::string LaunchCounter::begin() {
  if (!file_.open(settings_.output, cupti_.version)) return file_.path() + ": cannot be written";
  listen(1);
  tell_journal(settings_.journal, "file", file_.path());
  return "";
}

void LaunchCounter::listen(uint32_t on) {
  for (size_t id = 0; id < calls_.size(); ++id) {
    if (calls_[id] != LaunchCall::kNone || memory_calls_[id] != cupti::MemoryCall::kNone)
      cupti_.cuptiEnableCallback(on, subscriber_, cupti::kDriverApi, static_cast<uint32_t>(id));
  }
  for (size_t id = 0; id < runtime_calls_.size() && settings_.rules.range == cupti::kProfilerRange; ++id) {
    if (runtime_calls_[id]) cupti_.cuptiEnableCallback(on, subscriber_, cupti::kRuntimeApi, static_cast<uint32_t>(id));
  }
  cupti_.cuptiEnableCallback(on, subscriber_, cupti::kResource, kContextDestroyStarting);
  cupti_.cuptiEnableCallback(on, subscriber_, cupti::kResource, cupti::kModuleLoaded);
}

std::string LaunchCounter::resume(CountSettings settings) {
  const std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
  choice_ = Choice(settings_.rules);
  launches_ = graph_launches_ = 0;
  late_ = true;
  stopped_ = false;
  return begin();
}

void LaunchCounter::callback(void* user, uint32_t domain, uint32_t id, const void* data) {
  auto& self = *static_cast<LaunchCounter*>(user);
  if (inside) return;
  if (domain == cupti::kDriverApi && id < self.calls_.size()) {
    const auto& call = *static_cast<const cupti::ApiCallback*>(data);
    if (self.calls_[id] != LaunchCall::kNone) return self.on_call(self.calls_[id], call);
    if (self.memory_calls_[id] != cupti::MemoryCall::kNone) return self.on_memory_call(self.memory_calls_[id], call);
  }
  if (domain == cupti::kRuntimeApi && id < self.runtime_calls_.size() && self.runtime_calls_[id]) {
    const bool begins = *self.runtime_calls_[id],
               entered = static_cast<const cupti::ApiCallback*>(data)->site == kEnter;
    if (begins != entered) count_profiler_call(begins);  // from behind Start to before Stop
  }
  if (domain != cupti::kResource) return;
  const auto& resource = *static_cast<const cupti::ResourceCallback*>(data);
  const std::lock_guard lock(self.mutex_);
  if (id == cupti::kModuleLoaded) {
    const auto* module = static_cast<const cupti::ModuleResource*>(resource.descriptor);
    if (module == nullptr) return;
    if (self.settings_.wanted != Wanted::kMetrics) self.cubins_.add(module->cubin, module->bytes);
    else self.symbols_.add(module->cubin, module->bytes);
    return;
  }
  const auto found = self.contexts_.find(resource.context);
  if (found == self.contexts_.end()) return;
  if (resource.context != nullptr && self.passes_.context == resource.context) self.end_ranges();
  self.drain(found->second);
  self.write_samples(found->second);
  if (found->second.replayer) {
    const Inside our_own;
    found->second.replayer->close();
  }
  if (found->second.profiler) found->second.profiler->close();
  self.contexts_.erase(found);
}

/// One call at a time, from its begin to its end. Of one that was under way when counting began only the end is seen.
void LaunchCounter::enter() {
  mutex_.lock();
  ++calls_entered;
}

void LaunchCounter::leave_call() {
  --calls_entered;
  mutex_.unlock();
}

void LaunchCounter::on_call(LaunchCall call, const cupti::ApiCallback& data) {
  if (data.site == kEnter) {
    enter();
    if (!stopped_) on_enter(call, data);
  } else if (calls_entered > 0) {
    if (!stopped_) on_exit(data);
    leave_call();
  }
}

void LaunchCounter::on_enter(LaunchCall call, const cupti::ApiCallback& data) {
  counting_ = nullptr;
  if (call == LaunchCall::kBeginCapture || call == LaunchCall::kGraph) drain_all();
  if (call == LaunchCall::kBeginCapture) ++captures_;
  if (call == LaunchCall::kEndCapture && captures_ > 0) --captures_;
  if (call == LaunchCall::kGraph) {
    ++graph_launches_;
    passes_.range.graph_launches += passes_.open;
  }
  if (call == LaunchCall::kBeginCapture || call == LaunchCall::kEndCapture || call == LaunchCall::kGraph) return;
  if (settings_.in_ranges) {
    ++launches_;
    passes_.launches += captures_ == 0;
    return;
  }
  const Launch launch = cupti::read_launch(call, data);
  ++launches_;
  if (!choice_.take(launch.kernel, launches_in_range())) return drain_started();
  if (captures_ > 0) return file_.launch(launch, {{}, 0, "a stream is being captured into a graph"});
  Context& context = context_of(data.context, launch.device);
  const bool once = (!context.profiler || context.profiler->host().passes() == 1) && call != LaunchCall::kOther;
  if (const std::string why = cupti::why_not_replayed(launch, call); !once && !why.empty()) {
    drain_all();
    return file_.launch(launch, {{}, 0, why});
  }
  count(context, call, data, launch);
}

void LaunchCounter::on_exit(const cupti::ApiCallback& data) {
  if (counting_ == nullptr) return;
  Context& context = *counting_;
  counting_ = nullptr;
  const bool failed = data.result != nullptr && *static_cast<const int*>(data.result) != 0;
  if (context.watcher) return watched(context, !failed);
  if (failed && context.profiler) {
    context.pending.pop_back();
    if (!context.profiler->started()) context.replayer->forget_last();
  }
  if (choice_.done() || (context.profiler && context.pending.size() >= context.profiler->capacity())) drain(context);
}

void LaunchCounter::sample(Context& context, const Launch& launch) {
  if (!context.sampler->started()) {
    if (const std::string problem = context.sampler->start(); !problem.empty()) {
      refuse(context, launch.device, problem);
      return times_.expect(launch);
    }
  }
  ++sampled_launches_[launch.kernel];
  counting_ = &context;
}

void LaunchCounter::watch(Context& context, const Launch& launch) {
  const Inside our_own;
  if (const std::string why = context.watcher->why_not(launch); !why.empty()) return file_.launch(launch, {{}, 0, why});
  if (const std::string problem = context.watcher->begin(launch); !problem.empty()) {
    refuse(context, launch.device, problem);
    return times_.expect(launch);
  }
  watched_ = launch;
  counting_ = &context;
}

void LaunchCounter::watched(Context& context, bool made) {
  const Inside our_own;
  const std::string problem = context.watcher->end(watched_, made);
  if (!problem.empty()) file_.launch(watched_, {{}, 0, problem});
}

/// Whether the launch is kept, to be replayed with others later.
bool LaunchCounter::keep(Context& context, LaunchCall call, const cupti::ApiCallback& data, const Launch& launch) {
  if (!settings_.in_batches || late_ || context.profiler->host().passes() <= 1 || contexts_.size() > 1) return false;
  const Inside our_own;
  const auto kept = [&] { return context.replayer->keep(context.memory, &symbols_, call, data, launch); };
  if (context.profiler->started()) drain(context);
  if (kept()) return true;
  if (context.pending.empty()) return false;
  drain(context);  // there may be room then
  return kept();
}

void LaunchCounter::count(Context& context, LaunchCall call, const cupti::ApiCallback& data, const Launch& launch) {
  if (context.sampler) return sample(context, launch);
  if (context.watcher) return watch(context, launch);
  if (!context.profiler) return times_.expect(launch);
  if (!keep(context, call, data, launch)) {
    const Inside our_own;
    if (!context.profiler->started()) {
      if (const std::string problem = context.profiler->start(); !problem.empty()) {
        refuse(context, launch.device, problem);
        return times_.expect(launch);
      }
    }
    context.replayer->flush_caches();
  }
  context.pending.push_back(launch);
  counting_ = &context;
}

/// What frees or ends something that kept launches need waits until they have been replayed, and what asks for memory
/// while they hold much of it, too; whatever reads or writes memory does not do so during a replay.
void LaunchCounter::on_memory_call(cupti::MemoryCall call, const cupti::ApiCallback& data) {
  using cupti::MemoryCall;
  if (data.site == kEnter) {
    enter();
    const bool ends = call == MemoryCall::kFree || call == MemoryCall::kUnmap || call == MemoryCall::kHostFree ||
                      call == MemoryCall::kEnd;
    const bool grows = call == MemoryCall::kAllocate || call == MemoryCall::kAllocatePitch || call == MemoryCall::kMap;
    const auto found = contexts_.find(data.context);
    const bool in_the_way =
        grows && found != contexts_.end() && found->second.replayer && found->second.replayer->holds_much();
    if (!stopped_ && (ends || in_the_way) && captures_ == 0) drain_all();
    return;
  }
  if (calls_entered == 0) return;
  const bool failed = data.result != nullptr && *static_cast<const int*>(data.result) != 0;
  const bool changes = call != MemoryCall::kCopy && call != MemoryCall::kEnd && data.context != nullptr;
  if (!stopped_ && !failed && changes) contexts_[data.context].memory.after(call, data);
  leave_call();
}

std::string LaunchCounter::open(Context& context, void* handle, uint32_t device) {
  if (settings_.wanted == Wanted::kSamples) {
    context.sampler = std::make_unique<cupti::Sampler>(cupti_, sampling_);
    return context.sampler->open(handle);
  }
  if (settings_.wanted == Wanted::kInstructions)
    context.watcher = std::make_unique<cupti::InstructionCounter>(cupti_, profiler_, sass_);
  if (settings_.wanted == Wanted::kOverTime)
    context.watcher = std::make_unique<cupti::OverTime>(cupti_, profiler_, pm_, settings_.interval_ns);
  if (context.watcher) return context.watcher->open(handle, device);
  context.profiler = std::make_unique<cupti::RangeProfiler>(cupti_, profiler_);
  if (!settings_.in_ranges) context.replayer = std::make_unique<cupti::Replayer>(handle, settings_.flushes_caches);
  return context.profiler->open(handle, device, settings_.metrics);
}

Context& LaunchCounter::context_of(void* handle, uint32_t device) {
  Context& context = contexts_[handle];
  if (context.opened) return context;
  context.opened = true;
  const Inside our_own;
  const std::string problem = open(context, handle, device);
  if (problem.empty()) describe(device, context, "");
  else refuse(context, device, problem);
  std::atexit(stop_counter);  // once more: before what CUPTI made until now is destroyed
  return context;
}

}  // namespace warplens::collect
