// Counts the launches of this process: CUPTI reports them, and the chosen ones are replayed or sampled.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/collect/counters/counts_file.h"
#include "warplens/collect/counters/cubins.h"
#include "warplens/collect/counters/instruction_counter.h"
#include "warplens/collect/counters/kernel_times.h"
#include "warplens/collect/counters/module_symbols.h"
#include "warplens/collect/counters/over_time.h"
#include "warplens/collect/counters/range_profiler.h"
#include "warplens/collect/counters/replayer.h"
#include "warplens/collect/counters/sampler.h"
#include "warplens/collect/counters/settings.h"

namespace warplens::collect {

/// A CUDA context in which something was to be counted.
struct Context {
  bool opened = false;
  std::unique_ptr<cupti::RangeProfiler> profiler;  // none of these three where counters were refused
  std::unique_ptr<cupti::Sampler> sampler;
  std::unique_ptr<cupti::Watcher> watcher;
  std::unique_ptr<cupti::Replayer> replayer;  // beside a profiler
  cupti::MemoryMap memory;
  std::vector<cupti::Launch> pending;  // launched since the profiler started, or kept by the replayer
};

class LaunchCounter {
 public:
  explicit LaunchCounter(CountSettings settings) : settings_(std::move(settings)), choice_(settings_.rules) {}

  std::string attach();
  std::string attach_late() {
    late_ = true;
    return attach();
  }
  void stop();
  /// stop(), and releases the devices. The program continues as if it had never been counted.
  void leave();
  /// Continues counting with `settings` after stop(). Earlier allocations are unknown, so CUPTI replays.
  std::string resume(CountSettings settings);
  /// The outermost range of the chosen name begins or ends on this thread.
  void open_range(std::string_view name);
  void close_range();
  bool is_range(std::string_view name) const { return choice_.is_range(name); }
  bool wants_ranges() const { return choice_.wants_ranges(); }

 private:
  /// A range whose passes are under way. Between two passes it is open while the program is outside it.
  struct RangePasses {
    CountedRange range;
    void* context = nullptr;  // its handle
    uint64_t launches = 0;    // since it opened
    bool open = false;
  };

  std::string begin();
  std::string begin_range_pass(Context& context);
  std::string end_range_pass(Context& context, bool* last, std::vector<std::vector<double>>* values);
  void give_up_range(const std::string& why);
  void end_ranges();  // no more will come
  void listen(uint32_t on);
  void enter();
  void leave_call();
  static void callback(void* user, uint32_t domain, uint32_t id, const void* data);
  void on_call(cupti::LaunchCall call, const cupti::ApiCallback& data);
  void on_enter(cupti::LaunchCall call, const cupti::ApiCallback& data);
  void on_exit(const cupti::ApiCallback& data);
  void on_memory_call(cupti::MemoryCall call, const cupti::ApiCallback& data);
  Context& context_of(void* handle, uint32_t device);
  void refuse(Context& context, uint32_t device, const std::string& why);
  void describe(uint32_t device, const Context& context, const std::string& refusal);
  void count(Context& context, cupti::LaunchCall call, const cupti::ApiCallback& data, const cupti::Launch& launch);
  bool keep(Context& context, cupti::LaunchCall call, const cupti::ApiCallback& data, const cupti::Launch& launch);
  void sample(Context& context, const cupti::Launch& launch);
  void watch(Context& context, const cupti::Launch& launch);
  void watched(Context& context, bool made);
  std::string find_functions();
  std::string open(Context& context, void* handle, uint32_t device);
  void drain(Context& context);
  void drain_samples(Context& context);
  void write_samples(const Context& context);  // and the watchers' results
  void drain_all();
  void drain_started();

  CountSettings settings_;
  Choice choice_;
  CountsFile file_;
  cupti::Library cupti_;
  cupti::ProfilerLibrary profiler_;
  cupti::SamplingLibrary sampling_;
  cupti::SassLibrary sass_;
  cupti::PmLibrary pm_;
  cupti::Cubins cubins_;
  cupti::ModuleSymbols symbols_;
  std::map<std::string, uint64_t> sampled_launches_;  // by kernel
  void* subscriber_ = nullptr;
  std::vector<cupti::LaunchCall> calls_;  // by callback id
  std::vector<cupti::MemoryCall> memory_calls_;
  std::vector<std::optional<bool>> runtime_calls_;  // profiler_call() by callback id
  std::recursive_mutex mutex_;                      // held from a launch's begin to its end: one launch at a time
  std::map<void*, Context> contexts_;
  KernelTimes times_;
  Context* counting_ = nullptr;  // of the launch under way, where it is counted
  cupti::Launch watched_;        // that launch, where a watcher looks at it
  uint64_t launches_ = 0, graph_launches_ = 0;
  uint64_t captures_ = 0;  // of streams into graphs, under way: start and stop nothing meanwhile
  RangePasses passes_;
  uint64_t ranges_taken_ = 0, ranges_matched_ = 0;
  bool stopped_ = false;
  bool late_ = false;  // memory was allocated before anything was watched
};

}  // namespace warplens::collect
