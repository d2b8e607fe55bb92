// The part of CUPTI's binary interface that we use, so that neither building nor running needs its headers. Layouts are
// those of cupti_activity.h (packed, 8-byte aligned). Newer versions append members, so they are valid from CUDA 12.0
// on. abi_test compares them with the toolkit's headers if they are installed.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warplens::cupti {

using Result = int;
inline constexpr Result kSuccess = 0, kErrorNotInitialized = 15, kErrorInsufficientPrivileges = 35,
                        kErrorMultipleSubscribers = 39;
inline constexpr uint32_t kOldestVersion = 18;  // CUDA 12.0

enum Kind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kConcurrentKernel = 10,
  kMemcpyPeer = 22,
  kSynchronization = 38,
  kMemory2 = 49,
};

enum Domain : uint32_t { kDriverApi = 1, kRuntimeApi = 2, kResource = 3 };
enum Resource : uint32_t { kGraphNodeCreated = 13, kGraphNodeCloned = 20 };

struct __attribute__((packed, aligned(8))) KernelRecord {
  uint32_t kind;
  uint8_t cache_config, shared_config;
  uint16_t registers_per_thread;
  uint32_t global_cache_requested, global_cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
  void* reserved;
  uint64_t queued, submitted;
  uint8_t launch_type, carveout_requested, carveout, padding;
  uint32_t shared_executed;
  uint64_t graph_node;
  uint32_t shared_limit;
  uint32_t graph;
};

struct __attribute__((packed, aligned(8))) CopyRecord {
  uint32_t kind;
  uint8_t copy_kind, source, destination, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
  uint32_t correlation, runtime_correlation, padding;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph;
};

struct __attribute__((packed, aligned(8))) PeerCopyRecord {
  uint32_t kind;
  uint8_t copy_kind, source, destination, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
  uint32_t source_device, source_context, destination_device, destination_context;
  uint32_t correlation;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph;
};

struct __attribute__((packed, aligned(8))) SetRecord {
  uint32_t kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
  uint32_t correlation;
  uint16_t flags, memory;
  uint32_t padding;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph;
};

struct __attribute__((packed, aligned(8))) CallRecord {
  uint32_t kind;
  uint32_t callback;
  uint64_t start, end;
  uint32_t process, thread;
  uint32_t correlation, result;
};

struct __attribute__((packed, aligned(8))) SyncRecord {
  uint32_t kind;
  uint32_t type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event;
};

struct __attribute__((packed, aligned(8))) MemoryRecord {
  uint32_t kind;
  uint32_t operation;  // 1 allocation, 2 release
  uint32_t memory;
  uint32_t correlation;
  uint64_t address, bytes, timestamp;
  uint64_t pc;
  uint32_t process, device, context, stream;
};

struct ApiCallback {  // CUpti_CallbackData
  uint32_t site;      // 0: enter, 1: exit
  const char* function;
  const void* parameters;
  void* result;
  const char* symbol;
  void* context;
  uint32_t context_id;
  uint64_t* scratch;  // the same at enter and exit of one call
  uint32_t correlation;
};

struct GraphCallback {  // CUpti_GraphData
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
};

struct ResourceCallback {  // CUpti_ResourceData
  void* context;
  void* resource;
  void* descriptor;
};

}  // namespace warplens::cupti
