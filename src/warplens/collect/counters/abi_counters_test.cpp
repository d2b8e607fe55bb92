// Our layouts of CUPTI's profiler parameters and records against the toolkit's own headers, where they are installed.
#include <gtest/gtest.h>

#include <utility>

#include "warplens/collect/counters/abi.h"
#include "warplens/collect/counters/cubins.h"

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

// PC sampling names its sizes in another way.
#define CUpti_PCSamplingStartParams_STRUCT_SIZE CUpti_PCSamplingStartParamsSize
#define CUpti_PCSamplingConfigurationInfoParams_STRUCT_SIZE CUpti_PCSamplingConfigurationInfoParamsSize
#define CUpti_PCSamplingGetDataParams_STRUCT_SIZE CUpti_PCSamplingGetDataParamsSize
#define CUpti_PCSamplingGetNumStallReasonsParams_STRUCT_SIZE CUpti_PCSamplingGetNumStallReasonsParamsSize
#define CUpti_PCSamplingGetStallReasonsParams_STRUCT_SIZE CUpti_PCSamplingGetStallReasonsParamsSize

TEST(ProfilerAbi, Parameters) {
#define PARAMETERS(ours, bytes, theirs, members) \
  {                                              \
    using Ours = ours;                           \
    using Theirs = theirs;                       \
    EXPECT_SAME_SIZE(ours, theirs);              \
    EXPECT_EQ(sizeof(Ours), sizeof(Theirs));     \
    members                                      \
  }
#define IN(type, ours, theirs)                                        \
  EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)) << #ours; \
  EXPECT_EQ(sizeof(Ours::ours), sizeof(std::declval<Theirs>().theirs)) << #ours;
#define OUT IN
#define SET(type, ours, theirs, first) IN(type, ours, theirs)
#include "warplens/collect/counters/parameters.def"
#undef PARAMETERS
#undef SET
#undef IN
#undef OUT
  // Parameters of several functions.
  EXPECT_SAME_SIZE(RangeObject, CUpti_RangeProfiler_Disable_Params);
  EXPECT_SAME_SIZE(RangeObject, CUpti_RangeProfiler_PopRange_Params);
}

TEST(ProfilerAbi, Constants) {
  EXPECT_EQ(kAutoRange, static_cast<uint32_t>(CUPTI_AutoRange));
  EXPECT_EQ(kKernelReplay, static_cast<uint32_t>(CUPTI_KernelReplay));
  EXPECT_EQ(kUserReplay, static_cast<uint32_t>(CUPTI_UserReplay));
  EXPECT_EQ(kRangeProfilerType, static_cast<uint32_t>(CUPTI_PROFILER_TYPE_RANGE_PROFILER));
  EXPECT_EQ(kPmSamplingType, static_cast<uint32_t>(CUPTI_PROFILER_TYPE_PM_SAMPLING));
  EXPECT_EQ(kByTime, static_cast<uint32_t>(CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL));
  EXPECT_EQ(kImageFull, static_cast<uint32_t>(CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL));
  EXPECT_EQ(kModuleLoaded, static_cast<uint32_t>(CUPTI_CBID_RESOURCE_MODULE_LOADED));
}

TEST(ProfilerAbi, Records) {
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
  EXPECT_EQ(CubinCrc().size, CUpti_GetCubinCrcParamsSize);
  EXPECT_SAME_OFFSET(ModuleResource, cubin, CUpti_ModuleResourceData, pCubin);
  EXPECT_EQ(sizeof(SassConfig), sizeof(CUpti_SassMetrics_Config));
  EXPECT_EQ(sizeof(SassInstance), sizeof(CUpti_SassMetrics_InstanceValue));
  EXPECT_EQ(sizeof(SassRecord), sizeof(CUpti_SassMetrics_Data));
  EXPECT_SAME_OFFSET(SassRecord, function, CUpti_SassMetrics_Data, functionName);
  EXPECT_SAME_OFFSET(SassRecord, values, CUpti_SassMetrics_Data, pInstanceValues);
  EXPECT_EQ(SassRecord().size, SassFlushData().size);
}

TEST(ProfilerAbi, Launches) {
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
