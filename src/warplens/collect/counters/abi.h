// The parameters of CUPTI's range profiler, as cupti_profiler_host.h, cupti_profiler_target.h and
// cupti_range_profiler.h lay them out; abi_test compares them with the toolkit's headers. Each begins with its own
// size, up to its last member.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/collect/cupti/abi.h"

namespace warplens::cupti {

enum class MetricType : uint32_t { kCounter, kRatio, kThroughput };
inline constexpr uint32_t kRangeProfilerType = 0;  // CUPTI_PROFILER_TYPE_RANGE_PROFILER
inline constexpr uint32_t kAutoRange = 1, kUserRange = 2, kKernelReplay = 2, kUserReplay = 3;
inline constexpr Result kErrorInvalidMetric = 17;

struct HostInitialize {
  size_t size = sizeof(HostInitialize);
  void* priv = nullptr;
  uint32_t profiler = kRangeProfilerType;
  const char* chip = nullptr;
  const uint8_t* availability = nullptr;
  void* host = nullptr;  // out
};

struct HostDeinitialize {
  size_t size = sizeof(HostDeinitialize);
  void* priv = nullptr;
  void* host = nullptr;
};

struct HostGetSupportedChips {
  size_t size = sizeof(HostGetSupportedChips);
  void* priv = nullptr;
  size_t count = 0;                    // out
  const char* const* names = nullptr;  // out
};

struct HostGetBaseMetrics {
  size_t size = sizeof(HostGetBaseMetrics);
  void* priv = nullptr;
  void* host = nullptr;
  MetricType type = MetricType::kCounter;
  const char** names = nullptr;  // out
  size_t count = 0;              // out
};

struct HostGetSubMetrics {
  size_t size = sizeof(HostGetSubMetrics);
  void* priv = nullptr;
  void* host = nullptr;
  MetricType type = MetricType::kCounter;
  const char* metric = nullptr;
  size_t count = 0;              // out
  const char** names = nullptr;  // out
};

struct HostGetMetricProperties {
  size_t size = 60;  // up to the last member
  void* priv = nullptr;
  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;  // out, and what follows
  const char* unit_of_hardware = nullptr;
  const char* dimension = nullptr;
  MetricType type = MetricType::kCounter;
};

struct HostConfigAddMetrics {
  size_t size = sizeof(HostConfigAddMetrics);
  void* priv = nullptr;
  void* host = nullptr;
  const char** names = nullptr;
  size_t count = 0;
};

struct HostGetConfigImageSize {
  size_t size = sizeof(HostGetConfigImageSize);
  void* priv = nullptr;
  void* host = nullptr;
  size_t bytes = 0;  // out
};

struct HostGetConfigImage {
  size_t size = sizeof(HostGetConfigImage);
  void* priv = nullptr;
  void* host = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct HostGetNumOfPasses {
  size_t size = sizeof(HostGetNumOfPasses);
  void* priv = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
  size_t passes = 0;  // out
};

struct HostEvaluateToGpuValues {
  size_t size = sizeof(HostEvaluateToGpuValues);
  void* priv = nullptr;
  void* host = nullptr;
  const uint8_t* counter_data = nullptr;
  size_t bytes = 0;
  size_t range = 0;
  const char** names = nullptr;
  size_t count = 0;
  double* values = nullptr;
};

struct ProfilerInitialize {
  size_t size = sizeof(ProfilerInitialize);
  void* priv = nullptr;
};

struct GetChipName {
  size_t size = sizeof(GetChipName);
  void* priv = nullptr;
  size_t device = 0;
  const char* chip = nullptr;  // out
};

struct GetCounterAvailability {
  size_t size = sizeof(GetCounterAvailability);
  void* priv = nullptr;
  void* context = nullptr;
  size_t bytes = 0;  // out where there is no image
  uint8_t* image = nullptr;
};

struct RangeEnable {
  size_t size = sizeof(RangeEnable);
  void* priv = nullptr;
  void* context = nullptr;
  void* profiler = nullptr;  // out
};

struct RangeObject {  // of Disable and Start
  size_t size = sizeof(RangeObject);
  void* priv = nullptr;
  void* profiler = nullptr;
};

struct RangeGetCounterDataSize {
  size_t size = sizeof(RangeGetCounterDataSize);
  void* priv = nullptr;
  void* profiler = nullptr;
  const char** names = nullptr;
  size_t count = 0;
  size_t max_ranges = 0;
  uint32_t max_tree_nodes = 0;  // at least max_ranges
  size_t bytes = 0;             // out
};

struct RangeInitializeImage {
  size_t size = sizeof(RangeInitializeImage);
  void* priv = nullptr;
  void* profiler = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct RangeSetConfig {
  size_t size = 90;  // up to the last member
  void* priv = nullptr;
  void* profiler = nullptr;
  size_t config_bytes = 0;
  const uint8_t* config = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
  uint32_t range = kAutoRange, replay = kKernelReplay;
  size_t max_ranges = 0;
  uint16_t nesting_levels = 1, first_level = 1;
  size_t pass = 0;
  uint16_t target_level = 1;
};

struct RangeStop {
  size_t size = 41;  // up to the last member
  void* priv = nullptr;
  void* profiler = nullptr;
  size_t pass = 0, target_level = 0;  // out, and what follows
  uint8_t all_submitted = 0;
};

struct RangePush {
  size_t size = sizeof(RangePush);
  void* priv = nullptr;
  void* profiler = nullptr;
  const char* name = nullptr;
};

struct RangeDecodeData {
  size_t size = sizeof(RangeDecodeData);
  void* priv = nullptr;
  void* profiler = nullptr;
  size_t dropped = 0;  // out
};

struct RangeGetCounterDataInfo {
  size_t size = sizeof(RangeGetCounterDataInfo);
  void* priv = nullptr;
  const uint8_t* image = nullptr;
  size_t bytes = 0;
  size_t ranges = 0;  // out
};

// The arguments of cuLaunchKernel and its variants, as generated_cuda_meta.h and cuda.h define them.
struct CallbackData {
  uint32_t site;  // 0: enter, 1: exit
  const char* function;
  const void* parameters;
  void* result;
  const char* symbol;  // the kernel's name
  void* context;
  uint32_t context_id;
  uint64_t* user;
  uint32_t correlation;
};

struct LaunchParameters {  // cuLaunchKernel, cuLaunchCooperativeKernel
  void* function;
  uint32_t grid[3], block[3], shared_bytes;
  void* stream;
  void** values;  // a pointer to each of the kernel's parameters; nullptr: they are in `packed`
  void** packed;  // not of cuLaunchCooperativeKernel
};

struct LaunchAttribute {  // CUlaunchAttribute
  uint32_t id, padding;
  uint32_t value[16];
};

struct LaunchConfig {  // CUlaunchConfig
  uint32_t grid[3], block[3], shared_bytes;
  void* stream;
  const LaunchAttribute* attributes;
  uint32_t attribute_count;
};

struct LaunchExParameters {  // cuLaunchKernelEx
  const LaunchConfig* config;
  void* function;
  void** values;
  void** packed;
};

}  // namespace warplens::cupti
