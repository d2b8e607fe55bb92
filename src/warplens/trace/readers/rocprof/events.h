// Records of rocprofv3 as the trace events that torch.profiler would write: for each of its formats.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "warplens/trace/events/event_text.h"

namespace warplens::rocprof {

/// A kernel, a copy or a set. `thread` is its track in a viewer; grids are counted in work items.
struct DeviceWork {
  std::string_view name;
  int64_t device = 0, stream = 0, correlation = 0;
  int64_t start_ns = 0, end_ns = 0;
  int64_t items[3] = {0, 0, 0}, group[3] = {0, 0, 0};  // of kernels; 0 if not given
  int64_t shared_bytes = 0, registers = 0;             // of kernels
  int64_t bytes = 0;                                   // of copies and sets
};

void put_kernel(EventText& out, const DeviceWork& work);
/// The name says the direction: "MEMORY_COPY_HOST_TO_DEVICE".
void put_copy(EventText& out, const DeviceWork& work);
void put_call(EventText& out, std::string_view name, std::string_view process, std::string_view thread,
              int64_t start_ns, int64_t end_ns, int64_t correlation);
void put_range(EventText& out, std::string_view name, std::string_view process, std::string_view thread,
               int64_t start_ns, int64_t end_ns);

/// The tracer's own activity.
void put_overhead(EventText& out, std::string_view name, std::string_view process, std::string_view thread,
                  int64_t start_ns, int64_t end_ns);

/// Torch.profiler's category for rocprofv3's "kernel_dispatch", "memory_copy", "hip_api", ...; nothing for categories
/// that are not rocprofv3's.
enum class Kind : uint8_t { kKernel, kCopy, kCall, kRange };
std::optional<Kind> kind_of(std::string_view category);

}  // namespace warplens::rocprof
