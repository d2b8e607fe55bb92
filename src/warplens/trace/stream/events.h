// The contents of a stream, record by record.
#pragma once
#include <compare>
#include <cstdint>
#include <string_view>

namespace warplens::stream {

// Sites: the common part of many events, written once. `name` is a text's number.
struct KernelSite {
  uint32_t name, device, context, stream;
  int32_t grid[3], block[3];
  uint32_t registers, shared_bytes;
  bool operator==(const KernelSite&) const = default;
};
struct CallSite {
  uint32_t name, is_driver, thread;
  bool operator==(const CallSite&) const = default;
};
struct CopySite {
  uint32_t kind, source, destination;  // as CUPTI numbers them
  uint32_t device, context, stream;
  bool operator==(const CopySite&) const = default;
};
struct SetSite {
  uint32_t memory, device, context, stream;
  bool operator==(const SetSite&) const = default;
};
struct SyncSite {
  uint32_t type, device_plus_1, context, stream;
  bool operator==(const SyncSite&) const = default;
};

/// SyncSite::type, as CUPTI numbers waits; the last is not a wait: it names the stream of an event.
enum SyncType : uint32_t {
  kEventSync = 1,
  kStreamWaitEvent = 2,
  kStreamSync = 3,
  kContextSync = 4,
  kEventRecorded = 15
};

/// Between an operator's shapes and, where they are known, the types and the values of its inputs, in one text.
inline constexpr char kInputsSeparator = '\x1f';

/// An event that has a site.
struct Activity {
  uint32_t site;
  uint64_t start_ns, end_ns;
  uint64_t correlation;
  uint64_t bytes = 0;  // copies and sets
  uint64_t graph = 0, node = 0;
  uint64_t event_plus_1 = 0;  // synchronizations
};

struct Device {
  uint32_t ordinal;
  std::string_view name;
  uint64_t memory_bytes;
  uint32_t sm_count, compute_major, compute_minor;
  uint32_t max_threads_per_sm, registers_per_sm, shared_bytes_per_sm, warp_size;
};

}  // namespace warplens::stream
