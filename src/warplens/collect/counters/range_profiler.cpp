#include "warplens/collect/counters/range_profiler.h"

#include <algorithm>

namespace warplens::cupti {

namespace {

std::string has_none(const std::string& chip, const std::vector<std::string>& metrics) {
  constexpr size_t kNamed = 3;
  std::string names;
  for (size_t k = 0; k < std::min(kNamed, metrics.size()); ++k) names += (k > 0 ? ", " : "") + metrics[k];
  if (metrics.size() > kNamed) names += " and " + std::to_string(metrics.size() - kNamed) + " more";
  return chip + " does not have " + names + " (`warplens counters --list-metrics " + chip + "` lists its metrics)";
}

}  // namespace

std::string RangeProfiler::open_host(void* context, uint32_t device, const std::vector<std::string>& metrics) {
  WL_CUPTI_TRY(profiler_->start(*cupti_, device, &chip_));
  GetCounterAvailability available;
  available.context = context;
  std::vector<uint8_t> image;
  WL_CUPTI_TRY(read_availability(*cupti_, profiler_->cuptiProfilerGetCounterAvailability, available, &image));
  if (const Result result = host_.open(chip_, std::move(image)); result != kSuccess)
    return cupti_->said("cuptiProfilerHostInitialize", result);
  if (const Result result = host_.choose(metrics); result != kSuccess)
    return cupti_->said("cuptiProfilerHostConfigAddMetrics", result);
  return host_.metrics().empty() ? has_none(chip_, host_.missing()) : "";
}

std::string RangeProfiler::open(void* context, uint32_t device, const std::vector<std::string>& metrics) {
  WL_CUPTI_TRY(open_host(context, device, metrics));
  RangeEnable enable;
  enable.context = context;
  WL_CUPTI_TRY(cupti_->ask(profiler_->cuptiRangeProfilerEnable, &enable));
  object_ = enable.profiler;
  return "";
}

/// An empty image: about a megabyte a range.
std::string RangeProfiler::make_image() {
  std::vector<const char*> names = host_.names();
  RangeGetCounterDataSize size;
  size.profiler = object_;
  size.names = names.data();
  size.count = names.size();
  size.max_ranges = kMostRanges;
  size.max_tree_nodes = static_cast<uint32_t>(kMostRanges);
  WL_CUPTI_TRY(cupti_->ask(profiler_->cuptiRangeProfilerGetCounterDataSize, &size));
  image_.resize(size.bytes);
  RangeInitializeImage initialize;
  initialize.profiler = object_;
  initialize.bytes = image_.size();
  initialize.image = image_.data();
  return cupti_->ask(profiler_->cuptiRangeProfilerCounterDataImageInitialize, &initialize);
}

/// As many ranges each time: CUPTI keeps to what it was first told.
std::string RangeProfiler::prepare(uint32_t range, uint32_t replay) {
  WL_CUPTI_TRY(make_image());
  RangeSetConfig config;
  config.profiler = object_;
  config.config_bytes = host_.config().size();
  config.config = host_.config().data();
  config.bytes = image_.size();
  config.image = image_.data();
  config.range = range;
  config.replay = replay;
  config.max_ranges = kMostRanges;
  return cupti_->ask(profiler_->cuptiRangeProfilerSetConfig, &config);
}

std::string RangeProfiler::start() {
  WL_CUPTI_TRY(prepare(kAutoRange, kKernelReplay));
  std::string problem = begin_pass();
  started_ = problem.empty();
  return problem;
}

std::string RangeProfiler::stop(std::vector<std::vector<double>>* values) {
  started_ = false;
  bool last = false;
  WL_CUPTI_TRY(end_pass(&last));
  return take(values);
}

std::string RangeProfiler::begin_pass() {
  RangeObject object;
  object.profiler = object_;
  return cupti_->ask(profiler_->cuptiRangeProfilerStart, &object);
}

std::string RangeProfiler::push(const std::string& name) {
  RangePush range;
  range.profiler = object_;
  range.name = name.c_str();
  return cupti_->ask(profiler_->cuptiRangeProfilerPushRange, &range);
}

std::string RangeProfiler::pop() {
  RangeObject object;
  object.profiler = object_;
  return cupti_->ask(profiler_->cuptiRangeProfilerPopRange, &object);
}

std::string RangeProfiler::end_pass(bool* last) {
  RangeStop stop;
  stop.profiler = object_;
  const Result result = profiler_->cuptiRangeProfilerStop(&stop);
  *last = stop.all_submitted != 0;
  return result == kSuccess ? "" : cupti_->said("cuptiRangeProfilerStop", result);
}

std::string RangeProfiler::take(std::vector<std::vector<double>>* values) {
  RangeDecodeData data;
  data.profiler = object_;
  WL_CUPTI_TRY(cupti_->ask(profiler_->cuptiRangeProfilerDecodeData, &data));
  RangeGetCounterDataInfo info;
  info.image = image_.data();
  info.bytes = image_.size();
  WL_CUPTI_TRY(cupti_->ask(profiler_->cuptiRangeProfilerGetCounterDataInfo, &info));
  values->resize(info.ranges);
  for (size_t range = 0; range < info.ranges; ++range) {
    if (const Result result = host_.evaluate(image_, range, &(*values)[range]); result != kSuccess)
      return cupti_->said("cuptiProfilerHostEvaluateToGpuValues", result);
  }
  return data.dropped == 0 ? "" : std::to_string(data.dropped) + " launches were dropped by CUPTI";
}

void RangeProfiler::close() {
  if (object_ == nullptr) return;
  RangeObject object;
  object.profiler = object_;
  profiler_->cuptiRangeProfilerDisable(&object);
  object_ = nullptr;
}

}  // namespace warplens::cupti
