// Our layouts of CUPTI's profiler parameters against the toolkit's own headers, where they are installed.
#include <gtest/gtest.h>

#include "warplens/collect/counters/abi.h"
#include "warplens/collect/counters/cubins.h"
#include "warplens/collect/counters/instruction_abi.h"
#include "warplens/collect/counters/over_time_abi.h"
#include "warplens/collect/counters/sampling_abi.h"

#if __has_include(<cupti_range_profiler.h>)
#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

namespace warplens::cupti {
namespace {

#define EXPECT_SAME_SIZE(ours, theirs) EXPECT_EQ(ours().size, theirs##_STRUCT_SIZE) << #ours
#define EXPECT_SAME_OFFSET(ours, our_member, theirs, their_member) \
  EXPECT_EQ(offsetof(ours, our_member), offsetof(theirs, their_member)) << #ours "." #our_member

TEST(ProfilerAbi, HostSide) {
  EXPECT_SAME_SIZE(HostInitialize, CUpti_Profiler_Host_Initialize_Params);
  EXPECT_SAME_OFFSET(HostInitialize, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType);
  EXPECT_SAME_OFFSET(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
  EXPECT_SAME_OFFSET(HostInitialize, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);
  EXPECT_SAME_OFFSET(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
  EXPECT_SAME_SIZE(HostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params);
  EXPECT_SAME_OFFSET(HostDeinitialize, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
  EXPECT_SAME_SIZE(HostGetSupportedChips, CUpti_Profiler_Host_GetSupportedChips_Params);
  EXPECT_SAME_OFFSET(HostGetSupportedChips, count, CUpti_Profiler_Host_GetSupportedChips_Params, numChips);
  EXPECT_SAME_OFFSET(HostGetSupportedChips, names, CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames);
  EXPECT_SAME_SIZE(HostGetBaseMetrics, CUpti_Profiler_Host_GetBaseMetrics_Params);
  EXPECT_SAME_OFFSET(HostGetBaseMetrics, type, CUpti_Profiler_Host_GetBaseMetrics_Params, metricType);
  EXPECT_SAME_OFFSET(HostGetBaseMetrics, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);
  EXPECT_SAME_OFFSET(HostGetBaseMetrics, count, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics);
  EXPECT_SAME_SIZE(HostGetMetricProperties, CUpti_Profiler_Host_GetMetricProperties_Params);
  EXPECT_SAME_OFFSET(HostGetMetricProperties, metric, CUpti_Profiler_Host_GetMetricProperties_Params, pMetricName);
  EXPECT_SAME_OFFSET(HostGetMetricProperties, description, CUpti_Profiler_Host_GetMetricProperties_Params,
                     pDescription);
  EXPECT_SAME_OFFSET(HostGetMetricProperties, dimension, CUpti_Profiler_Host_GetMetricProperties_Params, pDimUnit);
  EXPECT_SAME_OFFSET(HostGetMetricProperties, type, CUpti_Profiler_Host_GetMetricProperties_Params, metricType);
  EXPECT_SAME_SIZE(HostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
  EXPECT_SAME_OFFSET(HostConfigAddMetrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
  EXPECT_SAME_OFFSET(HostConfigAddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
  EXPECT_SAME_SIZE(HostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
  EXPECT_SAME_OFFSET(HostGetConfigImageSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
  EXPECT_SAME_SIZE(HostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params);
  EXPECT_SAME_OFFSET(HostGetConfigImage, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
  EXPECT_SAME_OFFSET(HostGetConfigImage, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
  EXPECT_SAME_SIZE(HostGetNumOfPasses, CUpti_Profiler_Host_GetNumOfPasses_Params);
  EXPECT_SAME_OFFSET(HostGetNumOfPasses, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
  EXPECT_SAME_OFFSET(HostGetNumOfPasses, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
  EXPECT_SAME_SIZE(HostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  EXPECT_SAME_OFFSET(HostEvaluateToGpuValues, counter_data, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
                     pCounterDataImage);
  EXPECT_SAME_OFFSET(HostEvaluateToGpuValues, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
  EXPECT_SAME_OFFSET(HostEvaluateToGpuValues, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
  EXPECT_SAME_OFFSET(HostEvaluateToGpuValues, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
}

TEST(ProfilerAbi, TargetSide) {
  EXPECT_SAME_SIZE(ProfilerInitialize, CUpti_Profiler_Initialize_Params);
  EXPECT_SAME_SIZE(GetChipName, CUpti_Device_GetChipName_Params);
  EXPECT_SAME_OFFSET(GetChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
  EXPECT_SAME_OFFSET(GetChipName, chip, CUpti_Device_GetChipName_Params, pChipName);
  EXPECT_SAME_SIZE(GetCounterAvailability, CUpti_Profiler_GetCounterAvailability_Params);
  EXPECT_SAME_OFFSET(GetCounterAvailability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
  EXPECT_SAME_OFFSET(GetCounterAvailability, bytes, CUpti_Profiler_GetCounterAvailability_Params,
                     counterAvailabilityImageSize);
  EXPECT_SAME_OFFSET(GetCounterAvailability, image, CUpti_Profiler_GetCounterAvailability_Params,
                     pCounterAvailabilityImage);
  EXPECT_SAME_SIZE(RangeEnable, CUpti_RangeProfiler_Enable_Params);
  EXPECT_SAME_OFFSET(RangeEnable, context, CUpti_RangeProfiler_Enable_Params, ctx);
  EXPECT_SAME_OFFSET(RangeEnable, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
  EXPECT_SAME_SIZE(RangeObject, CUpti_RangeProfiler_Start_Params);
  EXPECT_SAME_OFFSET(RangeObject, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
  EXPECT_SAME_SIZE(RangeObject, CUpti_RangeProfiler_Disable_Params);
  EXPECT_SAME_OFFSET(RangeObject, profiler, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
  EXPECT_SAME_SIZE(RangeGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params);
  EXPECT_SAME_OFFSET(RangeGetCounterDataSize, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
  EXPECT_SAME_OFFSET(RangeGetCounterDataSize, max_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params,
                     maxNumOfRanges);
  EXPECT_SAME_OFFSET(RangeGetCounterDataSize, max_tree_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params,
                     maxNumRangeTreeNodes);
  EXPECT_SAME_OFFSET(RangeGetCounterDataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
  EXPECT_SAME_SIZE(RangeInitializeImage, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  EXPECT_SAME_OFFSET(RangeInitializeImage, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
                     counterDataSize);
  EXPECT_SAME_OFFSET(RangeInitializeImage, image, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
  EXPECT_SAME_SIZE(RangeSetConfig, CUpti_RangeProfiler_SetConfig_Params);
  EXPECT_SAME_OFFSET(RangeSetConfig, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
  EXPECT_SAME_OFFSET(RangeSetConfig, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
  EXPECT_SAME_OFFSET(RangeSetConfig, bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
  EXPECT_SAME_OFFSET(RangeSetConfig, image, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
  EXPECT_SAME_OFFSET(RangeSetConfig, range, CUpti_RangeProfiler_SetConfig_Params, range);
  EXPECT_SAME_OFFSET(RangeSetConfig, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
  EXPECT_SAME_OFFSET(RangeSetConfig, max_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
  EXPECT_SAME_OFFSET(RangeSetConfig, nesting_levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
  EXPECT_SAME_OFFSET(RangeSetConfig, first_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
  EXPECT_SAME_OFFSET(RangeSetConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
  EXPECT_SAME_OFFSET(RangeSetConfig, target_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
  EXPECT_SAME_SIZE(RangePush, CUpti_RangeProfiler_PushRange_Params);
  EXPECT_SAME_OFFSET(RangePush, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
  EXPECT_SAME_SIZE(RangeObject, CUpti_RangeProfiler_PopRange_Params);
  EXPECT_SAME_SIZE(RangeStop, CUpti_RangeProfiler_Stop_Params);
  EXPECT_SAME_OFFSET(RangeStop, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
  EXPECT_SAME_OFFSET(RangeStop, target_level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);
  EXPECT_SAME_OFFSET(RangeStop, all_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
  EXPECT_SAME_SIZE(RangeDecodeData, CUpti_RangeProfiler_DecodeData_Params);
  EXPECT_SAME_OFFSET(RangeDecodeData, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
  EXPECT_SAME_SIZE(RangeGetCounterDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params);
  EXPECT_SAME_OFFSET(RangeGetCounterDataInfo, image, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);
  EXPECT_SAME_OFFSET(RangeGetCounterDataInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
  EXPECT_EQ(kAutoRange, static_cast<uint32_t>(CUPTI_AutoRange));
  EXPECT_EQ(kKernelReplay, static_cast<uint32_t>(CUPTI_KernelReplay));
  EXPECT_EQ(kUserReplay, static_cast<uint32_t>(CUPTI_UserReplay));
  EXPECT_EQ(kRangeProfilerType, static_cast<uint32_t>(CUPTI_PROFILER_TYPE_RANGE_PROFILER));
}

TEST(ProfilerAbi, Sampling) {
  EXPECT_EQ(sizeof(SampledReason), sizeof(CUpti_PCSamplingStallReason));
  EXPECT_EQ(sizeof(SampledPc), sizeof(CUpti_PCSamplingPCData));
  EXPECT_SAME_OFFSET(SampledPc, function, CUpti_PCSamplingPCData, functionName);
  EXPECT_SAME_OFFSET(SampledPc, reasons, CUpti_PCSamplingPCData, stallReason);
  EXPECT_SAME_OFFSET(SampledPc, correlation, CUpti_PCSamplingPCData, correlationId);
  EXPECT_EQ(sizeof(SampledData), sizeof(CUpti_PCSamplingData));
  EXPECT_SAME_OFFSET(SampledData, capacity, CUpti_PCSamplingData, collectNumPcs);
  EXPECT_SAME_OFFSET(SampledData, remaining, CUpti_PCSamplingData, remainingNumPcs);
  EXPECT_SAME_OFFSET(SampledData, pcs, CUpti_PCSamplingData, pPcData);
  EXPECT_SAME_OFFSET(SampledData, full, CUpti_PCSamplingData, hardwareBufferFull);
  EXPECT_EQ(sizeof(SamplingSetting), sizeof(CUpti_PCSamplingConfigurationInfo));
  EXPECT_SAME_OFFSET(SamplingSetting, reasons.indices, CUpti_PCSamplingConfigurationInfo,
                     attributeData.stallReasonData.pStallReasonIndex);
  EXPECT_EQ(SamplingConfigure().size, CUpti_PCSamplingConfigurationInfoParamsSize);
  EXPECT_EQ(SamplingContext().size, CUpti_PCSamplingStartParamsSize);
  EXPECT_EQ(SamplingGetData().size, CUpti_PCSamplingGetDataParamsSize);
  EXPECT_EQ(SamplingGetReasonCount().size, CUpti_PCSamplingGetNumStallReasonsParamsSize);
  EXPECT_EQ(SamplingGetReasons().size, CUpti_PCSamplingGetStallReasonsParamsSize);
  EXPECT_EQ(CubinCrc().size, CUpti_GetCubinCrcParamsSize);
  EXPECT_SAME_OFFSET(ModuleResource, cubin, CUpti_ModuleResourceData, pCubin);
  EXPECT_EQ(kModuleLoaded, static_cast<uint32_t>(CUPTI_CBID_RESOURCE_MODULE_LOADED));
}

TEST(ProfilerAbi, Instructions) {
  EXPECT_SAME_SIZE(SassGetProperties, CUpti_SassMetrics_GetProperties_Params);
  EXPECT_SAME_OFFSET(SassGetProperties, id, CUpti_SassMetrics_GetProperties_Params, metric.metricId);
  EXPECT_EQ(sizeof(SassConfig), sizeof(CUpti_SassMetrics_Config));
  EXPECT_SAME_SIZE(SassSetConfig, CUpti_SassMetricsSetConfig_Params);
  EXPECT_SAME_OFFSET(SassSetConfig, configs, CUpti_SassMetricsSetConfig_Params, pConfigs);
  EXPECT_SAME_SIZE(SassUnsetConfig, CUpti_SassMetricsUnsetConfig_Params);
  EXPECT_SAME_SIZE(SassEnable, CUpti_SassMetricsEnable_Params);
  EXPECT_SAME_SIZE(SassDisable, CUpti_SassMetricsDisable_Params);
  EXPECT_SAME_SIZE(SassGetDataProperties, CUpti_SassMetricsGetDataProperties_Params);
  EXPECT_EQ(sizeof(SassInstance), sizeof(CUpti_SassMetrics_InstanceValue));
  EXPECT_EQ(sizeof(SassRecord), sizeof(CUpti_SassMetrics_Data));
  EXPECT_SAME_OFFSET(SassRecord, function, CUpti_SassMetrics_Data, functionName);
  EXPECT_SAME_OFFSET(SassRecord, values, CUpti_SassMetrics_Data, pInstanceValues);
  EXPECT_SAME_SIZE(SassFlushData, CUpti_SassMetricsFlushData_Params);
  EXPECT_EQ(SassRecord().size, SassFlushData().size);
}

TEST(ProfilerAbi, OverTime) {
  EXPECT_SAME_SIZE(PmGetCounterAvailability, CUpti_PmSampling_GetCounterAvailability_Params);
  EXPECT_SAME_SIZE(PmEnable, CUpti_PmSampling_Enable_Params);
  EXPECT_SAME_SIZE(PmObject, CUpti_PmSampling_Start_Params);
  EXPECT_SAME_SIZE(PmSetConfig, CUpti_PmSampling_SetConfig_Params);
  EXPECT_SAME_OFFSET(PmSetConfig, interval, CUpti_PmSampling_SetConfig_Params, samplingInterval);
  EXPECT_SAME_SIZE(PmGetCounterDataSize, CUpti_PmSampling_GetCounterDataSize_Params);
  EXPECT_SAME_OFFSET(PmGetCounterDataSize, bytes, CUpti_PmSampling_GetCounterDataSize_Params, counterDataSize);
  EXPECT_SAME_SIZE(PmInitializeImage, CUpti_PmSampling_CounterDataImage_Initialize_Params);
  EXPECT_SAME_SIZE(PmDecodeData, CUpti_PmSampling_DecodeData_Params);
  EXPECT_SAME_OFFSET(PmDecodeData, stop_reason, CUpti_PmSampling_DecodeData_Params, decodeStopReason);
  EXPECT_SAME_SIZE(PmGetCounterDataInfo, CUpti_PmSampling_GetCounterDataInfo_Params);
  EXPECT_SAME_SIZE(PmGetSampleInfo, CUpti_PmSampling_CounterData_GetSampleInfo_Params);
  EXPECT_EQ(kPmSamplingType, static_cast<uint32_t>(CUPTI_PROFILER_TYPE_PM_SAMPLING));
  EXPECT_EQ(kByTime, static_cast<uint32_t>(CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL));
  EXPECT_EQ(kImageFull, static_cast<uint32_t>(CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL));
}

TEST(ProfilerAbi, Launches) {
  EXPECT_SAME_OFFSET(CallbackData, parameters, CUpti_CallbackData, functionParams);
  EXPECT_SAME_OFFSET(CallbackData, result, CUpti_CallbackData, functionReturnValue);
  EXPECT_SAME_OFFSET(CallbackData, symbol, CUpti_CallbackData, symbolName);
  EXPECT_SAME_OFFSET(CallbackData, context, CUpti_CallbackData, context);
  EXPECT_SAME_OFFSET(CallbackData, correlation, CUpti_CallbackData, correlationId);
  EXPECT_SAME_OFFSET(LaunchConfig, stream, CUlaunchConfig, hStream);
  EXPECT_SAME_OFFSET(LaunchConfig, attributes, CUlaunchConfig, attrs);
  EXPECT_SAME_OFFSET(LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
  EXPECT_SAME_OFFSET(LaunchAttribute, value, CUlaunchAttribute, value);
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
}

}  // namespace
}  // namespace warplens::cupti
#else
TEST(ProfilerAbi, Headers) { GTEST_SKIP() << "CUPTI's headers are not installed"; }
#endif
