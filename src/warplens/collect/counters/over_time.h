// How busy the GPU's units are over the time of each chosen launch, sampled by the hardware at fixed intervals.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warplens/collect/counters/abi.h"
#include "warplens/collect/counters/host.h"
#include "warplens/collect/counters/watcher.h"
#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

#define WL_CUPTI_PM_FUNCTIONS(F)                                     \
  F(cuptiPmSamplingGetCounterAvailability, PmGetCounterAvailability) \
  F(cuptiPmSamplingEnable, PmEnable)                                 \
  F(cuptiPmSamplingDisable, PmObject)                                \
  F(cuptiPmSamplingSetConfig, PmSetConfig)                           \
  F(cuptiPmSamplingGetCounterDataSize, PmGetCounterDataSize)         \
  F(cuptiPmSamplingCounterDataImageInitialize, PmInitializeImage)    \
  F(cuptiPmSamplingStart, PmObject)                                  \
  F(cuptiPmSamplingStop, PmObject)                                   \
  F(cuptiPmSamplingDecodeData, PmDecodeData)                         \
  F(cuptiPmSamplingGetCounterDataInfo, PmGetCounterDataInfo)         \
  F(cuptiPmSamplingCounterDataGetSampleInfo, PmGetSampleInfo)

struct PmLibrary {
  WL_CUPTI_PART(WL_CUPTI_PM_FUNCTIONS)
};

/// One interval of a launch.
struct TimeSample {
  uint64_t start_ns = 0, end_ns = 0;
  std::vector<double> values;  // of the metrics
};

/// A launch as it was sampled.
struct TimedLaunch {
  Launch launch;
  std::vector<TimeSample> samples;  // while any SM worked
  bool overflow = false;            // the hardware's buffer was full: its end is missing
};

class OverTime : public Watcher {
 public:
  OverTime(const Library& cupti, const ProfilerLibrary& profiler, const PmLibrary& pm, uint64_t interval_ns)
      : cupti_(&cupti), profiler_(&profiler), pm_(&pm), interval_ns_(interval_ns) {}
  ~OverTime() override;

  std::string open(void* context, uint32_t device) override;
  std::string begin(const Launch& launch) override;
  std::string end(const Launch& launch, bool made) override;
  void write(Cubins* cubins, collect::CountsFile* file) override;

 private:
  std::string choose_metrics(const std::string& chip, const std::vector<uint8_t>& availability);
  std::string configure(uint32_t device);
  std::string make_image();
  std::string decode(TimedLaunch* to);
  std::string take_samples(TimedLaunch* to);

  const Library* cupti_;
  const ProfilerLibrary* profiler_;
  const PmLibrary* pm_;
  uint64_t interval_ns_;
  std::unique_ptr<Host> host_;
  void* object_ = nullptr;
  std::vector<uint8_t> image_;
  std::vector<TimedLaunch> launches_;
};

}  // namespace warplens::cupti
