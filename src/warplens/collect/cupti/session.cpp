#include "warplens/collect/cupti/session.h"

namespace warplens::cupti {
namespace {

constexpr uint32_t kFlushForced = 1;
// Never kKernel, which runs kernels one after another.
constexpr uint32_t kDeviceKinds[] = {kConcurrentKernel, kMemcpy, kMemcpyPeer, kMemset};

}  // namespace

std::string Session::attach(const std::string& paths, const Levels& levels, const Listener& listener) {
  if (std::string problem = cupti_.load(paths); !problem.empty()) return problem;
  levels_ = levels;
  listener_ = listener;
  runtime_calls_ = list_calls(cupti_, kRuntimeApi);
  driver_calls_ = list_calls(cupti_, kDriverApi);
  if (std::string problem = subscribe(); !problem.empty()) return problem;
  if (const Result result = cupti_.cuptiActivityRegisterCallbacks(listener.request, listener.complete);
      result != kSuccess)
    return cupti_.explain(result);
  if (levels_.all_calls) enable_all_calls();
  guest_.admit(cupti_, subscriber_, own_, listener.guest);
  attached_.store(true, std::memory_order_release);
  return "";
}

std::string Session::subscribe() {
  if (const Result result = cupti_.cuptiSubscribe(&subscriber_, callback, this); result != kSuccess)
    return cupti_.explain(result);
  enable_callback(true, kResource, kGraphNodeCreated);
  enable_callback(true, kResource, kGraphNodeCloned);
  if (!levels_.profiler_calls) return "";
  for (const Call& call : runtime_calls_) {
    if (profiler_call(call.name)) enable_callback(true, kRuntimeApi, call.id);
  }
  return "";
}

void Session::callback(void* user, uint32_t domain, uint32_t id, const void* data) {
  auto& self = *static_cast<Session*>(user);
  self.guest_.call_back(domain, id, data);
  if (domain >= kDomains || !self.own_.callbacks[domain].on(id)) return;
  if (domain == kRuntimeApi || domain == kDriverApi)
    return self.on_call(static_cast<Domain>(domain), id, *static_cast<const ApiCallback*>(data));
  const auto* graph = static_cast<const GraphCallback*>(static_cast<const ResourceCallback*>(data)->descriptor);
  if (domain != kResource || graph == nullptr) return;
  uint64_t node = 0, original = 0;
  if (self.cupti_.cuptiGetGraphNodeId(graph->node, &node) != kSuccess) return;
  if (id == kGraphNodeCloned && self.cupti_.cuptiGetGraphNodeId(graph->original_node, &original) != kSuccess) return;
  self.listener_.graph_node(node, original);
}

/// Calls are timed in callbacks, which may be switched on at any time; CUPTI's records of single functions that are
/// enabled once CUDA runs never come. A call's scratch holds when it began.
void Session::on_call(Domain domain, uint32_t id, const ApiCallback& call) {
  constexpr uint32_t kEnter = 0;
  const std::vector<Call>& calls = domain == kRuntimeApi ? runtime_calls_ : driver_calls_;
  if (id >= calls.size()) return;
  if (call.site == kEnter) {
    *call.scratch = listener_.now();
    return;
  }
  if (calls[id].recorded && *call.scratch != 0) {  // 0: it was under way when recording began
    const uint64_t end = listener_.now();
    const Wait wait = calls[id].wait.type != 0 ? read_wait(cupti_, calls[id].wait, call) : Wait{};
    listener_.call(domain, id, *call.scratch, end, call.correlation, wait.type != 0 ? &wait : nullptr);
  }
  if (!levels_.profiler_calls) return;
  if (const std::optional<bool> starts = profiler_call(calls[id].name)) listener_.profiler(*starts);
}

void Session::enable_all_calls() {
  enable_kind(kRuntime, true);
  enable_kind(kDriver, true);
}

void Session::enable_callback(bool on, uint32_t domain, uint32_t id) {
  own_.callbacks[domain].set(id, on);
  if (on || !guest_.wants_callback(domain, id)) cupti_.cuptiEnableCallback(on, subscriber_, domain, id);
}

void Session::enable_kind(uint32_t kind, bool on) {
  own_.kinds.set(kind, on);
  if (on) ever_.set(kind, true);
  if (on) cupti_.cuptiActivityEnable(kind);
  else if (!guest_.wants_kind(kind)) cupti_.cuptiActivityDisable(kind);
}

/// Launches are read where the driver takes them, which costs half of what the runtime's callbacks do; all else where
/// the program asks for it.
void Session::call_back(Domain domain, bool on) {
  if (!levels_.calls || levels_.all_calls) return;
  for (const Call& call : domain == kDriverApi ? driver_calls_ : runtime_calls_) {
    const bool wanted = domain == kDriverApi ? call.launches || driver_calls_on_ : !call.launches;
    if (call.recorded && wanted) enable_callback(on, domain, call.id);
  }
}

/// Not at first: what the runtime asks of the driver for its own work would be recorded as well.
void Session::enable_driver_calls() {
  if (driver_calls_on_) return;
  driver_calls_on_ = true;
  call_back(kDriverApi, enabled_);
}

void Session::enable(bool on) {
  if (!attached() || on == enabled_) return;
  enabled_ = on;
  if (on) cupti_.cuptiActivityRegisterCallbacks(listener_.request, listener_.complete);  // another profiler may have
  for (const uint32_t kind : kDeviceKinds) enable_kind(kind, on);
  if (levels_.all_calls) enable_kind(kSynchronization, on);
  if (levels_.memory) enable_kind(kMemory2, on);
  call_back(kRuntimeApi, on);
  call_back(kDriverApi, on);
}

void Session::flush(bool at_end) {
  if (attached()) cupti_.cuptiActivityFlushAll(at_end ? kFlushForced : 0);
}

uint64_t Session::dropped(void* context, uint32_t stream) const {
  size_t count = 0;
  return cupti_.cuptiActivityGetNumDroppedRecords(context, stream, &count) == kSuccess ? count : 0;
}

std::vector<std::string> Session::call_names(Domain domain) const {
  std::vector<std::string> names;
  for (const Call& call : domain == kDriverApi ? driver_calls_ : runtime_calls_) names.push_back(call.name);
  return names;
}

}  // namespace warplens::cupti
