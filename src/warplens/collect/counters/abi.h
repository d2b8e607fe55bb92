// CUPTI's range profiler, its sampling of counters at fixed intervals and of program counters, and its counts of each
// instruction: their parameters, constants and records. abi_counters_test compares them with the toolkit's headers.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/collect/cupti/abi.h"

namespace warplens::cupti {

enum class MetricType : uint32_t { kCounter, kRatio, kThroughput };
inline constexpr uint32_t kRangeProfilerType = 0;  // CUPTI_PROFILER_TYPE_RANGE_PROFILER
inline constexpr uint32_t kAutoRange = 1, kUserRange = 2, kKernelReplay = 2, kUserReplay = 3;
inline constexpr Result kErrorInvalidMetric = 17;
inline constexpr uint32_t kPmSamplingType = 1;  // CUPTI_PROFILER_TYPE_PM_SAMPLING
inline constexpr uint32_t kByTime = 1;          // CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL
inline constexpr uint32_t kImageFull = 1;       // CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
inline constexpr uint32_t kModuleLoaded = 6;    // CUpti_CallbackIdResource

enum class SamplingAttribute : uint32_t {
  kPeriod = 1,  // 2^n cycles
  kStallReasons = 2,
  kScratchBytes = 3,
  kHardwareBytes = 4,
  kMode = 5,
  kStartStop = 6,
  kFormat = 7,
  kData = 8,
};
inline constexpr Result kErrorOutOfMemory = 8;  // the hardware's buffer was full: some samples are lost
inline constexpr uint32_t kContinuous = 1, kParsed = 1;

struct __attribute__((packed, aligned(8))) SampledReason {
  uint32_t reason, samples;
};

struct __attribute__((packed, aligned(8))) SampledPc {
  size_t size = sizeof(SampledPc);
  uint64_t cubin_crc = 0, offset = 0;
  uint32_t function_index = 0, padding = 0;
  char* function = nullptr;  // to be freed once no record is read any more
  size_t reason_count = 0;
  SampledReason* reasons = nullptr;
  uint32_t correlation = 0;
};

struct __attribute__((packed, aligned(8))) SampledData {
  size_t size = sizeof(SampledData);
  size_t capacity = 0;  // of pcs
  uint64_t samples = 0, dropped = 0;
  size_t pc_count = 0, remaining = 0;
  uint64_t range = 0;
  SampledPc* pcs = nullptr;
  uint64_t other_samples = 0;
  uint8_t full = 0;
};

struct SamplingSetting {
  SamplingAttribute attribute;
  uint32_t status;
  union {
    uint64_t words[3];
    uint32_t number;
    size_t bytes;
    void* pointer;
    struct {
      size_t count;
      uint32_t* indices;
    } reasons;
  };
};

struct ModuleResource {  // CUpti_ModuleResourceData
  uint32_t id;
  size_t bytes;
  const char* cubin;
};

struct SassConfig {
  uint64_t id = 0;
  uint8_t granularity = 0;  // of the whole GPU
};

struct SassInstance {
  uint64_t id = 0, value = 0;
};

struct SassRecord {
  size_t size = 40;  // as SassFlushData's
  void* priv = nullptr;
  uint32_t cubin_crc = 0, function_index = 0;
  const char* function = nullptr;
  uint32_t offset = 0;
  SassInstance* values = nullptr;
};

#define PARAMETERS(ours, bytes, theirs, members)    \
  struct ours {                                     \
    size_t size = (bytes) ? (bytes) : sizeof(ours); \
    void* priv = nullptr;                           \
    members                                         \
  };
#define SET(type, ours, theirs, first) type ours = first;
#define IN(type, ours, theirs) type ours = {};
#define OUT(type, ours, theirs) type ours = {};
#include "warplens/collect/counters/parameters.def"
#undef PARAMETERS
#undef SET
#undef IN
#undef OUT

// The arguments of cuLaunchKernel and its variants, as generated_cuda_meta.h and cuda.h define them.
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
