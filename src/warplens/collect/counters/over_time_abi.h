// CUPTI's sampling of counters at fixed intervals, as cupti_pmsampling.h lays it out; abi_counters_test compares.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/collect/cupti/abi.h"

namespace warplens::cupti {

inline constexpr uint32_t kPmSamplingType = 1;  // CUPTI_PROFILER_TYPE_PM_SAMPLING
inline constexpr uint32_t kByTime = 1;          // CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL
inline constexpr uint32_t kImageFull = 1;       // CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL

struct PmGetCounterAvailability {
  size_t size = sizeof(PmGetCounterAvailability);
  void* priv = nullptr;
  size_t device = 0;
  size_t bytes = 0;  // out where there is no image
  uint8_t* image = nullptr;
};

struct PmEnable {
  size_t size = sizeof(PmEnable);
  void* priv = nullptr;
  size_t device = 0;
  void* object = nullptr;  // out
};

struct PmObject {  // of Disable, Start and Stop
  size_t size = sizeof(PmObject);
  void* priv = nullptr;
  void* object = nullptr;
};

struct PmSetConfig {
  size_t size = sizeof(PmSetConfig);
  void* priv = nullptr;
  void* object = nullptr;
  size_t config_bytes = 0;
  const uint8_t* config = nullptr;
  size_t hardware_bytes = 0;
  uint64_t interval = 0;  // ns, by time
  uint32_t trigger = kByTime;
  uint32_t append = 0;  // the oldest records stay
};

struct PmGetCounterDataSize {
  size_t size = sizeof(PmGetCounterDataSize);
  void* priv = nullptr;
  void* object = nullptr;
  const char** names = nullptr;
  size_t count = 0;
  uint32_t max_samples = 0;
  size_t bytes = 0;  // out
};

struct PmInitializeImage {
  size_t size = sizeof(PmInitializeImage);
  void* priv = nullptr;
  void* object = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct PmDecodeData {
  size_t size = 45;  // up to the last member
  void* priv = nullptr;
  void* object = nullptr;
  uint8_t* image = nullptr;
  size_t bytes = 0;
  uint32_t stop_reason = 0;  // out, and what follows
  uint8_t overflow = 0;
};

struct PmGetCounterDataInfo {
  size_t size = sizeof(PmGetCounterDataInfo);
  void* priv = nullptr;
  const uint8_t* image = nullptr;
  size_t bytes = 0;
  size_t samples = 0, populated = 0, completed = 0;  // out
};

struct PmGetSampleInfo {
  size_t size = sizeof(PmGetSampleInfo);
  void* priv = nullptr;
  void* object = nullptr;
  const uint8_t* image = nullptr;
  size_t bytes = 0;
  size_t index = 0;
  uint64_t start = 0, end = 0;  // out, ns
};

}  // namespace warplens::cupti
