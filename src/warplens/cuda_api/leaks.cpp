#include "warplens/cuda_api/leaks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cuda_api/checked_launch.h"

namespace warplens::cuda_api {
namespace {

/// What one place of the program has allocated and not given back.
struct Lost {
  simt::Address first = 0;
  uint64_t number = 0;  // of the first
  uint64_t allocations = 0, bytes = 0;
  void add(simt::Address at, uint64_t which, uint64_t size_bytes) {
    if (allocations == 0 || which < number) std::tie(first, number) = std::tie(at, which);
    ++allocations;
    bytes += size_bytes;
  }
};
using Source = std::pair<std::string, CallSite>;  // the call's name, and where it is made

std::map<Source, Lost> lost_of(const Runtime& runtime, std::optional<int> device) {
  std::map<Source, Lost> out;
  for (const auto& [begin, allocation] : runtime.allocations) {
    const auto of_graph = runtime.graph_memory.find(begin);
    const bool given_back = of_graph != runtime.graph_memory.end() && of_graph->second;
    if (given_back || allocation.is_variable() || (device && allocation.device != *device)) continue;
    out[{allocation.call, allocation.site}].add(begin, allocation.number, allocation.size_bytes);
  }
  if (device && runtime.devices > 1) return out;  // which one an array is of is not known
  for (const auto& [handle, array] : runtime.arrays) {
    simt::Range bytes;
    if (runtime.memory.range(array->image.at, bytes))
      out[{"cudaMallocArray", {}}].add(bytes.begin, 0, bytes.end - bytes.begin);
  }
  return out;
}

simt::Report leak_of(const Source& place, const Lost& lost) {
  const std::string where = place.second.text();
  std::vector<std::string> which;
  if (lost.number > 0)
    which.push_back(fmt::format("{}allocation {}", lost.allocations == 1 ? "" : "the first of them ", lost.number));
  if (!where.empty()) which.push_back("called by " + where);
  simt::Report leak;
  leak.id = "leak";
  leak.count = lost.allocations;
  leak.address = lost.first;
  leak.size_bytes = static_cast<uint32_t>(std::min<uint64_t>(lost.bytes, UINT32_MAX));
  leak.message =
      fmt::format("{} {} is never freed{}", format_bytes(static_cast<double>(lost.bytes)),
                  lost.allocations == 1 ? "from " + place.first
                                        : fmt::format("in {} allocations by {}", lost.allocations, place.first),
                  which.empty() ? "" : ": " + join(which, ", "));
  return leak;
}

}  // namespace

void report_leaks(Runtime& runtime, std::optional<int> device) {
  if (!runtime.launch_watch.leaks) return;
  const std::map<Source, Lost> lost = lost_of(runtime, device);
  if (!is_python()) {
    for (const auto& [place, of_place] : lost) keep_defect(runtime, leak_of(place, of_place));
    return;
  }
  Lost all;
  for (const auto& [place, of_place] : lost) {
    all.allocations += of_place.allocations;
    all.bytes += of_place.bytes;
  }
  if (all.allocations > 0)
    runtime.launch_watch.note(
        fmt::format("Python's objects held {} of device memory in {} allocation{} at its end. Python does not free "
                    "them then, so they are not reported as leaks",
                    format_bytes(static_cast<double>(all.bytes)), all.allocations, all.allocations == 1 ? "" : "s"));
}

}  // namespace warplens::cuda_api
