#include "warplens/collect/counters/range_profiler.h"

namespace warplens::cupti {
namespace {

constexpr size_t kMostRanges = 64;  // thousands in one image fail
constexpr size_t kMostImageBytes = size_t{64} << 20;

}  // namespace

std::string RangeProfiler::said(const char* call, Result result) const {
  return cupti_->explain(result) + " [" + call + ": " + std::to_string(result) + "]";
}

std::string RangeProfiler::open_host(void* context, uint32_t device, const std::vector<std::string>& metrics) {
  ProfilerInitialize initialize;  // not before cuInit has returned, so not when the library is attached
  if (const Result result = profiler_->cuptiProfilerInitialize(&initialize); result != kSuccess)
    return said("cuptiProfilerInitialize", result);
  GetChipName name;
  name.device = device;
  if (const Result result = profiler_->cuptiDeviceGetChipName(&name); result != kSuccess)
    return said("cuptiDeviceGetChipName", result);
  chip_ = name.chip;
  GetCounterAvailability available;
  available.context = context;
  if (const Result result = profiler_->cuptiProfilerGetCounterAvailability(&available); result != kSuccess)
    return said("cuptiProfilerGetCounterAvailability", result);
  std::vector<uint8_t> image(available.bytes);
  available.image = image.data();
  if (const Result result = profiler_->cuptiProfilerGetCounterAvailability(&available); result != kSuccess)
    return said("cuptiProfilerGetCounterAvailability", result);
  if (const Result result = host_.open(chip_, std::move(image)); result != kSuccess)
    return said("cuptiProfilerHostInitialize", result);
  if (const Result result = host_.choose(metrics); result != kSuccess)
    return said("cuptiProfilerHostConfigAddMetrics", result);
  return host_.metrics().empty() ? chip_ + " has none of the metrics" : "";
}

std::string RangeProfiler::open(void* context, uint32_t device, const std::vector<std::string>& metrics) {
  if (std::string problem = open_host(context, device, metrics); !problem.empty()) return problem;
  RangeEnable enable;
  enable.context = context;
  if (const Result result = profiler_->cuptiRangeProfilerEnable(&enable); result != kSuccess)
    return said("cuptiRangeProfilerEnable", result);
  object_ = enable.profiler;
  std::string problem = make_image();
  if (problem.empty()) problem = configure();
  if (!problem.empty()) close();
  return problem;
}

/// As many ranges as the memory for them allows.
std::string RangeProfiler::make_image() {
  std::vector<const char*> names = host_.names();
  for (capacity_ = kMostRanges;; capacity_ /= 2) {
    RangeGetCounterDataSize size;
    size.profiler = object_;
    size.names = names.data();
    size.count = names.size();
    size.max_ranges = capacity_;
    size.max_tree_nodes = static_cast<uint32_t>(capacity_);
    if (const Result result = profiler_->cuptiRangeProfilerGetCounterDataSize(&size); result != kSuccess)
      return said("cuptiRangeProfilerGetCounterDataSize", result);
    image_.resize(size.bytes);
    if (size.bytes <= kMostImageBytes || capacity_ == 1) return "";
  }
}

std::string RangeProfiler::configure() {
  RangeInitializeImage initialize;
  initialize.profiler = object_;
  initialize.bytes = image_.size();
  initialize.image = image_.data();
  if (const Result result = profiler_->cuptiRangeProfilerCounterDataImageInitialize(&initialize); result != kSuccess)
    return said("cuptiRangeProfilerCounterDataImageInitialize", result);
  RangeSetConfig config;
  config.profiler = object_;
  config.config_bytes = host_.config().size();
  config.config = host_.config().data();
  config.bytes = image_.size();
  config.image = image_.data();
  config.max_ranges = capacity_;
  const Result result = profiler_->cuptiRangeProfilerSetConfig(&config);
  return result == kSuccess ? "" : said("cuptiRangeProfilerSetConfig", result);
}

std::string RangeProfiler::start() {
  RangeObject object;
  object.profiler = object_;
  const Result result = profiler_->cuptiRangeProfilerStart(&object);
  started_ = result == kSuccess;
  return started_ ? "" : said("cuptiRangeProfilerStart", result);
}

std::string RangeProfiler::stop(std::vector<std::vector<double>>* values) {
  started_ = false;
  RangeStop stop;
  stop.profiler = object_;
  if (const Result result = profiler_->cuptiRangeProfilerStop(&stop); result != kSuccess)
    return said("cuptiRangeProfilerStop", result);
  if (std::string problem = decode(values); !problem.empty()) return problem;
  return configure();  // an empty image for what comes next
}

std::string RangeProfiler::decode(std::vector<std::vector<double>>* values) {
  RangeDecodeData data;
  data.profiler = object_;
  if (const Result result = profiler_->cuptiRangeProfilerDecodeData(&data); result != kSuccess)
    return said("cuptiRangeProfilerDecodeData", result);
  RangeGetCounterDataInfo info;
  info.image = image_.data();
  info.bytes = image_.size();
  if (const Result result = profiler_->cuptiRangeProfilerGetCounterDataInfo(&info); result != kSuccess)
    return said("cuptiRangeProfilerGetCounterDataInfo", result);
  values->resize(info.ranges);
  for (size_t range = 0; range < info.ranges; ++range) {
    if (const Result result = host_.evaluate(image_, range, &(*values)[range]); result != kSuccess)
      return said("cuptiProfilerHostEvaluateToGpuValues", result);
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
