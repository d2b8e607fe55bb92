// The part of libcupti that plans and counts hardware counters. Its host side needs no GPU.
#pragma once
#include <string>
#include <type_traits>

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

struct ProfilerLibrary {
#define WL_DECLARE(name, parameters) std::add_pointer_t<Result(parameters*)> name = nullptr;
  WL_CUPTI_HOST_FUNCTIONS(WL_DECLARE)
  WL_CUPTI_TARGET_FUNCTIONS(WL_DECLARE)
#undef WL_DECLARE

  /// Finds them in a libcupti that is loaded. The text says why they are not all there, with the remedy, and is empty
  /// when all is well.
  std::string find(const Library& cupti);
  /// Initialises the profiler, which is not possible before cuInit has returned, and names the chip. `failed` is the
  /// call that did not succeed.
  Result start(uint32_t device, std::string* chip, const char** failed) const;
};

/// Why this libcupti's host side cannot be used in this process, with the remedy; empty where it can. From CUDA 13.1 on
/// it asks the driver, and without one it ends the process.
std::string host_side_problem(const Library& cupti);

}  // namespace warplens::cupti
