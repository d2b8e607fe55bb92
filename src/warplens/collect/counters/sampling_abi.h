// CUPTI's sampling of program counters, as cupti_pcsampling.h lays it out; abi_counters_test compares.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/collect/cupti/abi.h"

namespace warplens::cupti {

inline constexpr uint32_t kModuleLoaded = 6;  // CUpti_CallbackIdResource

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

struct SamplingContext {  // of Enable, Disable, Start and Stop
  size_t size = sizeof(SamplingContext);
  void* priv = nullptr;
  void* context = nullptr;
};

struct SamplingConfigure {
  size_t size = sizeof(SamplingConfigure);
  void* priv = nullptr;
  void* context = nullptr;
  size_t count = 0;
  SamplingSetting* settings = nullptr;
};

struct SamplingGetData {
  size_t size = sizeof(SamplingGetData);
  void* priv = nullptr;
  void* context = nullptr;
  void* data = nullptr;
};

struct SamplingGetReasonCount {
  size_t size = sizeof(SamplingGetReasonCount);
  void* priv = nullptr;
  void* context = nullptr;
  size_t* count = nullptr;
};

struct SamplingGetReasons {
  size_t size = sizeof(SamplingGetReasons);
  void* priv = nullptr;
  void* context = nullptr;
  size_t count = 0;
  uint32_t* indices = nullptr;
  char** names = nullptr;  // each of 128 bytes
};

struct ModuleResource {  // CUpti_ModuleResourceData
  uint32_t id;
  size_t bytes;
  const char* cubin;
};

}  // namespace warplens::cupti
