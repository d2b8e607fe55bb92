// --replay range: an NVTX range is counted as a whole, one pass each time that the program comes to it. Nothing runs
// again and no memory is kept, so that graphs, cooperative kernels and those that wait for other GPUs count as well.
#include <algorithm>

#include "warplens/collect/counters/driver.h"
#include "warplens/collect/counters/inside.h"
#include "warplens/collect/counters/launch_counter.h"

namespace warplens::collect {

void LaunchCounter::open_range(std::string_view name) {
  if (!settings_.in_ranges) return;
  const std::lock_guard lock(mutex_);
  const bool between = passes_.context != nullptr;  // the first pass is over, others are to come
  const bool enough = settings_.rules.count > 0 && ranges_taken_ >= settings_.rules.count;
  if (stopped_ || enough || captures_ > 0 || passes_.open || (between && passes_.range.name != name)) return;
  const Inside our_own;
  const cupti::Driver& cuda = cupti::driver();
  void* handle = nullptr;
  int device = 0;
  if (cuda.cuCtxGetCurrent == nullptr || cuda.cuCtxGetCurrent(&handle) != 0 || handle == nullptr ||
      cuda.cuCtxGetDevice(&device) != 0)
    return;  // this thread does not use CUDA yet
  if (between && passes_.context != handle) return;
  if (!between && ranges_matched_++ < settings_.rules.skip) return;
  Context& context = context_of(handle, static_cast<uint32_t>(device));
  if (!context.profiler) return;
  if (!between) {
    passes_ = {};
    passes_.range.name = name;
    passes_.range.device = static_cast<uint32_t>(device);
    passes_.range.least_launches = UINT64_MAX;
    passes_.context = handle;
  }
  passes_.launches = 0;
  const std::string problem = begin_range_pass(context);
  passes_.open = problem.empty();
  if (!problem.empty()) give_up_range(problem);
}

std::string LaunchCounter::begin_range_pass(Context& context) {
  if (cupti::driver().cuCtxSynchronize() != 0) return "the program's own work failed";
  if (passes_.range.times == 0) {
    if (std::string problem = context.profiler->begin_range_passes(); !problem.empty()) return problem;
  }
  if (std::string problem = context.profiler->begin_pass(); !problem.empty()) return problem;
  return context.profiler->push(passes_.range.name);
}

void LaunchCounter::close_range() {
  if (!settings_.in_ranges) return;
  const std::lock_guard lock(mutex_);
  if (!passes_.open || stopped_) return;
  const Inside our_own;
  CountedRange& range = passes_.range;
  passes_.open = false;
  ++range.times;
  range.least_launches = std::min(range.least_launches, passes_.launches);
  range.most_launches = std::max(range.most_launches, passes_.launches);
  bool last = false;
  std::vector<std::vector<double>> values;
  if (const std::string problem = end_range_pass(contexts_[passes_.context], &last, &values); !problem.empty())
    return give_up_range(problem);
  if (!last) return;
  file_.range(range, {std::move(values[0]), 0, ""});
  ++ranges_taken_;
  passes_ = {};
}

std::string LaunchCounter::end_range_pass(Context& context, bool* last, std::vector<std::vector<double>>* values) {
  const bool failed = cupti::driver().cuCtxSynchronize() != 0;
  std::string problem = context.profiler->pop();
  if (const std::string ended = context.profiler->end_pass(last); problem.empty()) problem = ended;
  if (failed) return "the program's own work failed";
  if (!problem.empty() || !*last) return problem;
  problem = context.profiler->take(values);
  if (problem.empty() && values->size() != 1)
    problem = "CUPTI counted " + std::to_string(values->size()) + " ranges for one";
  return problem;
}

/// What it has no values for is told with the reason; the next of its name begins anew.
void LaunchCounter::give_up_range(const std::string& why) {
  file_.range(passes_.range, {{}, 0, why});
  passes_ = {};
}

void LaunchCounter::end_ranges() {
  if (settings_.in_ranges && ranges_matched_ == 0) {
    passes_.range.name = settings_.rules.range;
    return give_up_range("the program came to no range of this name on a thread that uses CUDA");
  }
  if (passes_.context == nullptr) return;
  const auto found = contexts_.find(passes_.context);
  if (passes_.open && found != contexts_.end() && found->second.profiler) {
    bool last = false;
    std::vector<std::vector<double>> values;
    const Inside our_own;
    end_range_pass(found->second, &last, &values);
  }
  const size_t wanted =
      found != contexts_.end() && found->second.profiler ? found->second.profiler->host().passes() : 0;
  give_up_range("the program came to it " + std::to_string(passes_.range.times) + " times, its metrics take " +
                std::to_string(wanted) + " passes: let it run longer, or count fewer metrics (--set timing)");
}

}  // namespace warplens::collect
