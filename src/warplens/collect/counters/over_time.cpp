#include "warplens/collect/counters/over_time.h"

#include <algorithm>

#include "warplens/collect/counters/counts_file.h"
#include "warplens/collect/counters/driver.h"

namespace warplens::cupti {
namespace {

// What one pass can sample; where a chip cannot take all of them together, those that come first.
constexpr const char* kMetricsOverTime[] = {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                                            "sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed",
                                            "sm__warps_active_realtime.avg.pct_of_peak_sustained_elapsed",
                                            "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
                                            "dram__write_throughput.avg.pct_of_peak_sustained_elapsed",
                                            "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
                                            "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed"};
constexpr uint32_t kSamplesAtOnce = 1000;  // an image takes some 50 KB for each
constexpr size_t kHardwareBytes = size_t{256} << 20;
constexpr size_t kMostSamples = 20000;  // of a launch

}  // namespace

/// As many metrics as one pass takes.
std::string OverTime::choose_metrics(const std::string& chip, const std::vector<uint8_t>& availability) {
  std::vector<std::string> chosen;
  const auto fits = [&](const std::vector<std::string>& metrics) {
    host_ = std::make_unique<Host>(*profiler_);
    return host_->open(chip, availability, kPmSamplingType) == kSuccess && host_->choose(metrics) == kSuccess &&
           host_->passes() == 1;
  };
  std::vector<std::string> all(std::begin(kMetricsOverTime), std::end(kMetricsOverTime));
  if (fits(all)) return "";
  for (const std::string& metric : all) {
    chosen.push_back(metric);
    if (!fits(chosen)) chosen.pop_back();
  }
  return !chosen.empty() && fits(chosen) ? "" : chip + " samples none of the metrics over time";
}

std::string OverTime::open(void*, uint32_t device) {
  std::string chip;
  WL_CUPTI_TRY(profiler_->start(*cupti_, device, &chip));
  PmGetCounterAvailability available;
  available.device = device;
  std::vector<uint8_t> image;
  WL_CUPTI_TRY(read_availability(*cupti_, pm_->cuptiPmSamplingGetCounterAvailability, available, &image));
  WL_CUPTI_TRY(choose_metrics(chip, image));
  return configure(device);
}

std::string OverTime::configure(uint32_t device) {
  PmEnable enable;
  enable.device = device;
  WL_CUPTI_TRY(cupti_->ask(pm_->cuptiPmSamplingEnable, &enable));
  object_ = enable.object;
  PmSetConfig config;
  config.object = object_;
  config.config_bytes = host_->config().size();
  config.config = host_->config().data();
  config.hardware_bytes = kHardwareBytes;
  config.interval = interval_ns_;
  return cupti_->ask(pm_->cuptiPmSamplingSetConfig, &config);
}

OverTime::~OverTime() {
  if (object_ == nullptr) return;
  PmObject disable;
  disable.object = object_;
  pm_->cuptiPmSamplingDisable(&disable);
}

std::string OverTime::make_image() {
  std::vector<const char*> names = host_->names();
  PmGetCounterDataSize size;
  size.object = object_;
  size.names = names.data();
  size.count = names.size();
  size.max_samples = kSamplesAtOnce;
  WL_CUPTI_TRY(cupti_->ask(pm_->cuptiPmSamplingGetCounterDataSize, &size));
  image_.resize(size.bytes);
  PmInitializeImage initialize;
  initialize.object = object_;
  initialize.bytes = image_.size();
  initialize.image = image_.data();
  return cupti_->ask(pm_->cuptiPmSamplingCounterDataImageInitialize, &initialize);
}

std::string OverTime::begin(const Launch&) {
  driver().cuCtxSynchronize();  // what ran before is not of this launch
  WL_CUPTI_TRY(make_image());
  PmObject start;
  start.object = object_;
  return cupti_->ask(pm_->cuptiPmSamplingStart, &start);
}

std::string OverTime::end(const Launch& launch, bool made) {
  driver().cuCtxSynchronize();
  PmObject stop;
  stop.object = object_;
  WL_CUPTI_TRY(cupti_->ask(pm_->cuptiPmSamplingStop, &stop));
  TimedLaunch timed;
  timed.launch = launch;
  std::string problem = decode(&timed);
  if (made && problem.empty()) launches_.push_back(std::move(timed));
  return problem;
}

std::string OverTime::decode(TimedLaunch* to) {
  for (;;) {
    PmDecodeData data;
    data.object = object_;
    data.image = image_.data();
    data.bytes = image_.size();
    WL_CUPTI_TRY(cupti_->ask(pm_->cuptiPmSamplingDecodeData, &data));
    to->overflow |= data.overflow != 0;
    WL_CUPTI_TRY(take_samples(to));
    if (data.stop_reason != kImageFull || to->samples.size() >= kMostSamples) break;
    WL_CUPTI_TRY(make_image());
  }
  const auto works = [](const TimeSample& sample) { return sample.values[0] > 0; };  // SMs are active
  std::vector<TimeSample>& all = to->samples;
  all.erase(all.begin(), std::find_if(all.begin(), all.end(), works));
  all.erase(std::find_if(all.rbegin(), all.rend(), works).base(), all.end());
  return "";
}

std::string OverTime::take_samples(TimedLaunch* to) {
  PmGetCounterDataInfo info;
  info.image = image_.data();
  info.bytes = image_.size();
  WL_CUPTI_TRY(cupti_->ask(pm_->cuptiPmSamplingGetCounterDataInfo, &info));
  for (size_t k = 0; k < info.completed; ++k) {
    PmGetSampleInfo place;
    place.object = object_;
    place.image = image_.data();
    place.bytes = image_.size();
    place.index = k;
    WL_CUPTI_TRY(cupti_->ask(pm_->cuptiPmSamplingCounterDataGetSampleInfo, &place));
    TimeSample sample{place.start, place.end, {}};
    if (sample.end_ns - sample.start_ns > 2 * interval_ns_) continue;  // the first one: since the last launch
    if (const Result result = host_->evaluate(image_, k, &sample.values); result != kSuccess)
      return cupti_->said("cuptiProfilerHostEvaluateToGpuValues", result);
    to->samples.push_back(std::move(sample));
  }
  return "";
}

void OverTime::write(Cubins*, collect::CountsFile* file) {
  for (const TimedLaunch& launch : launches_) file->over_time(launch, host_->metrics(), interval_ns_);
  file->flush();
}

}  // namespace warplens::cupti
