// CUPTI's counts of each instruction, by code that it patches, as cupti_sass_metrics.h lays them out;
// abi_counters_test compares.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/collect/cupti/abi.h"

namespace warplens::cupti {

struct SassGetProperties {
  size_t size = sizeof(SassGetProperties);
  void* priv = nullptr;
  const char* chip = nullptr;
  const char* metric = nullptr;
  uint64_t id = 0;  // out, and what follows
  const char* name = nullptr;
  const char* description = nullptr;
};

struct SassConfig {
  uint64_t id = 0;
  uint8_t granularity = 0;  // of the whole GPU
};

struct SassSetConfig {
  size_t size = 36;  // up to the last member
  void* priv = nullptr;
  size_t count = 0;
  SassConfig* configs = nullptr;
  uint32_t device = 0;
};

struct SassUnsetConfig {
  size_t size = 20;  // up to the last member
  void* priv = nullptr;
  uint32_t device = 0;
};

struct SassEnable {
  size_t size = 25;  // up to the last member
  void* priv = nullptr;
  void* context = nullptr;
  uint8_t lazily = 1;  // only the function that is launched next is patched
};

struct SassDisable {
  size_t size = sizeof(SassDisable);
  void* priv = nullptr;
  void* context = nullptr;
  size_t dropped = 0;  // out
};

struct SassGetDataProperties {
  size_t size = sizeof(SassGetDataProperties);
  void* priv = nullptr;
  void* context = nullptr;
  size_t records = 0, instances = 0;  // out
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

struct SassFlushData {
  size_t size = 40;  // up to `instances`
  void* priv = nullptr;
  void* context = nullptr;
  size_t records = 0, instances = 0;
  SassRecord* data = nullptr;
};

}  // namespace warplens::cupti
