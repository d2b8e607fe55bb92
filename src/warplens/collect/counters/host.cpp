#include "warplens/collect/counters/host.h"

#include <algorithm>

namespace warplens::cupti {
namespace {

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

std::vector<std::string> supported_chips(const ProfilerLibrary& cupti) {
  HostGetSupportedChips chips;
  if (cupti.cuptiProfilerHostGetSupportedChips(&chips) != kSuccess) return {};
  return {chips.names, chips.names + chips.count};
}

Host::~Host() {
  if (host_ == nullptr) return;
  HostDeinitialize end;
  end.host = host_;
  cupti_->cuptiProfilerHostDeinitialize(&end);
}

Result Host::open(const std::string& chip, std::vector<uint8_t> availability, uint32_t profiler) {
  availability_ = std::move(availability);
  HostInitialize start;
  start.profiler = profiler;
  start.chip = chip.c_str();
  start.availability = availability_.empty() ? nullptr : availability_.data();
  const Result result = cupti_->cuptiProfilerHostInitialize(&start);
  if (result == kSuccess) host_ = start.host;
  return result;
}

std::vector<MetricInfo> Host::list() const {
  std::vector<MetricInfo> out;
  for (const MetricType type : {MetricType::kCounter, MetricType::kRatio, MetricType::kThroughput}) {
    HostGetBaseMetrics base;
    base.host = host_;
    base.type = type;
    if (cupti_->cuptiProfilerHostGetBaseMetrics(&base) != kSuccess) continue;
    const size_t first = out.size();
    for (size_t i = 0; i < base.count; ++i) {
      HostGetMetricProperties properties;
      properties.host = host_;
      properties.metric = base.names[i];
      if (cupti_->cuptiProfilerHostGetMetricProperties(&properties) != kSuccess) continue;
      out.push_back({base.names[i], type, text_of(properties.dimension), text_of(properties.description)});
    }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
              [](const MetricInfo& a, const MetricInfo& b) { return a.name < b.name; });
  }
  return out;
}

bool Host::knows(const std::string& metric, std::string* unit) const {
  HostGetMetricProperties properties;
  properties.host = host_;
  properties.metric = metric.c_str();
  if (cupti_->cuptiProfilerHostGetMetricProperties(&properties) != kSuccess) return false;
  *unit = text_of(properties.dimension);
  return metric.find('.') != std::string::npos;  // without a rollup it names a counter, not a value
}

std::vector<const char*> Host::names() const {
  std::vector<const char*> out;
  for (const std::string& metric : metrics_) out.push_back(metric.c_str());
  return out;
}

Result Host::choose(const std::vector<std::string>& metrics) {
  for (const std::string& metric : metrics) {
    std::string unit;
    if (std::find(metrics_.begin(), metrics_.end(), metric) != metrics_.end()) continue;
    if (!knows(metric, &unit)) {
      missing_.push_back(metric);
      continue;
    }
    metrics_.push_back(metric);
    units_.push_back(unit);
  }
  if (metrics_.empty()) return kSuccess;
  std::vector<const char*> chosen = names();
  HostConfigAddMetrics add;
  add.host = host_;
  add.names = chosen.data();
  add.count = chosen.size();
  const Result result = cupti_->cuptiProfilerHostConfigAddMetrics(&add);
  return result == kSuccess ? make_config() : result;
}

Result Host::make_config() {
  HostGetConfigImageSize size;
  size.host = host_;
  if (const Result result = cupti_->cuptiProfilerHostGetConfigImageSize(&size); result != kSuccess) return result;
  config_.resize(size.bytes);
  HostGetConfigImage image;
  image.host = host_;
  image.bytes = config_.size();
  image.image = config_.data();
  if (const Result result = cupti_->cuptiProfilerHostGetConfigImage(&image); result != kSuccess) return result;
  HostGetNumOfPasses passes;
  passes.bytes = config_.size();
  passes.image = config_.data();
  const Result result = cupti_->cuptiProfilerHostGetNumOfPasses(&passes);
  passes_ = passes.passes;
  return result;
}

Result Host::evaluate(std::span<const uint8_t> image, size_t range, std::vector<double>* values) const {
  std::vector<const char*> chosen = names();
  values->assign(chosen.size(), 0);
  HostEvaluateToGpuValues evaluate;
  evaluate.host = host_;
  evaluate.counter_data = image.data();
  evaluate.bytes = image.size();
  evaluate.range = range;
  evaluate.names = chosen.data();
  evaluate.count = chosen.size();
  evaluate.values = values->data();
  return cupti_->cuptiProfilerHostEvaluateToGpuValues(&evaluate);
}

}  // namespace warplens::cupti
