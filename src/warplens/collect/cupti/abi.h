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

#define RECORD(ours, theirs, members)               \
  struct __attribute__((packed, aligned(8))) ours { \
    members                                         \
  };
#define MEMBER(type, ours, theirs) type ours;
#define THREE(type, ours, theirs) type ours[3];
#define REST(type, ours) type ours;
#include "warplens/collect/cupti/records.def"
#undef RECORD
#undef MEMBER
#undef THREE
#undef REST

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
