// Which API calls are recorded, and their names.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/collect/cupti/library.h"
#include "warplens/collect/cupti/waits.h"

namespace warplens::cupti {

/// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel"; "_ptsz" and "_ptds" (per-thread streams) go too.
std::string_view plain_call_name(std::string_view name);

/// True if a call puts work on a device, waits for it, or changes memory or graphs: these are recorded by default.
/// Queries are not, because some programs make many for each launch.
bool is_recorded_call(std::string_view plain_name);
/// Whether it launches one kernel.
bool is_launch_call(std::string_view plain_name);

/// A stretch of the program between cudaProfilerStart and Stop, where ranges are named.
inline constexpr std::string_view kProfilerRange = "cudaProfilerApi";
/// True: such a call begins. False: it ends. Nothing: it is another call.
std::optional<bool> profiler_call(std::string_view plain_name);

struct Call {
  uint32_t id;
  std::string name;
  bool recorded, launches;
  WaitCall wait;
};

/// All calls of a domain, by id; ids without a name have an empty one.
std::vector<Call> list_calls(const Library& cupti, Domain domain);

}  // namespace warplens::cupti
