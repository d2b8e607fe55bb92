// The part of libcupti that plans and counts hardware counters. Its host side needs no GPU.
#pragma once
#include <string>
#include <vector>

#include "warplens/collect/counters/abi.h"
#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

#define WL_CUPTI_HOST_FUNCTIONS(F)                                 \
  F(cuptiProfilerHostInitialize, HostInitialize)                   \
  F(cuptiProfilerHostDeinitialize, HostDeinitialize)               \
  F(cuptiProfilerHostGetSupportedChips, HostGetSupportedChips)     \
  F(cuptiProfilerHostGetBaseMetrics, HostGetBaseMetrics)           \
  F(cuptiProfilerHostGetSubMetrics, HostGetSubMetrics)             \
  F(cuptiProfilerHostGetMetricProperties, HostGetMetricProperties) \
  F(cuptiProfilerHostConfigAddMetrics, HostConfigAddMetrics)       \
  F(cuptiProfilerHostGetConfigImageSize, HostGetConfigImageSize)   \
  F(cuptiProfilerHostGetConfigImage, HostGetConfigImage)           \
  F(cuptiProfilerHostGetNumOfPasses, HostGetNumOfPasses)           \
  F(cuptiProfilerHostEvaluateToGpuValues, HostEvaluateToGpuValues)

#define WL_CUPTI_TARGET_FUNCTIONS(F)                                    \
  F(cuptiProfilerInitialize, ProfilerInitialize)                        \
  F(cuptiDeviceGetChipName, GetChipName)                                \
  F(cuptiProfilerGetCounterAvailability, GetCounterAvailability)        \
  F(cuptiRangeProfilerEnable, RangeEnable)                              \
  F(cuptiRangeProfilerDisable, RangeObject)                             \
  F(cuptiRangeProfilerGetCounterDataSize, RangeGetCounterDataSize)      \
  F(cuptiRangeProfilerCounterDataImageInitialize, RangeInitializeImage) \
  F(cuptiRangeProfilerSetConfig, RangeSetConfig)                        \
  F(cuptiRangeProfilerStart, RangeObject)                               \
  F(cuptiRangeProfilerStop, RangeStop)                                  \
  F(cuptiRangeProfilerPushRange, RangePush)                             \
  F(cuptiRangeProfilerPopRange, RangeObject)                            \
  F(cuptiRangeProfilerDecodeData, RangeDecodeData)                      \
  F(cuptiRangeProfilerGetCounterDataInfo, RangeGetCounterDataInfo)

#define WL_CUPTI_PROFILER_FUNCTIONS(F) \
  WL_CUPTI_HOST_FUNCTIONS(F)           \
  WL_CUPTI_TARGET_FUNCTIONS(F)

struct ProfilerLibrary {
  WL_CUPTI_PART(WL_CUPTI_PROFILER_FUNCTIONS)
  /// Initialises the profiler, which is not possible before cuInit has returned, and names the chip.
  std::string start(const Library& cupti, uint32_t device, std::string* chip) const;
};

/// The counters that can be counted here, as planning wants them: how many bytes, then those.
template <typename Parameters>
std::string read_availability(const Library& cupti, const Function<Parameters>& call, Parameters available,
                              std::vector<uint8_t>* image) {
  WL_CUPTI_TRY(cupti.ask(call, &available));
  image->resize(available.bytes);
  available.image = image->data();
  return cupti.ask(call, &available);
}

/// Why this libcupti's host side cannot be used in this process, with the remedy; empty where it can. From CUDA 13.1 on
/// it asks the driver, and without one it ends the process.
std::string host_side_problem(const Library& cupti);

}  // namespace warplens::cupti
