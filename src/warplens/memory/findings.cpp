#include "warplens/memory/findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/memory/out_of_memory.h"
#include "warplens/memory/steps.h"

namespace warplens::memory {
namespace {

constexpr int64_t kLeakSteps = 4;        // that keep a block each: fewer may be the beginning of anything
constexpr int64_t kLeakBytes = 1 << 20;  // less is no one's concern
constexpr int64_t kThrashSegments = 4;   // freed and made again; the first are the allocator's first fill
constexpr double kMuchStranded = 0.2;    // of what is reserved

std::string bytes_text(int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

/// Allocations of one place that nothing frees.
struct Kept {
  int64_t blocks = 0, bytes = 0, freed = 0;
  std::set<size_t> steps;  // in which a block came that lives to the end
};

std::map<uint32_t, Kept> kept_by_stack(const std::vector<Event>& events, const Steps& steps) {
  std::map<uint32_t, Kept> kept;
  std::unordered_map<int64_t, std::pair<const Event*, size_t>> live;  // address -> allocation, its step
  size_t step = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    while (step < steps.ends.size() && i >= steps.ends[step]) ++step;
    if (event.action == Action::kAlloc && event.stack != kNoStack) {
      ++kept[event.stack].blocks;
      live[event.address] = {&event, step};
    } else if (event.action == Action::kFree) {
      const auto found = live.find(event.address);
      if (found == live.end()) continue;
      ++kept[found->second.first->stack].freed;
      live.erase(found);
    }
  }
  for (const auto& [address, from] : live) {
    kept[from.first->stack].bytes += from.first->bytes;
    kept[from.first->stack].steps.insert(from.second);
  }
  return kept;
}

Finding make(const char* id, Level level, const DeviceMemory& device, std::string title, std::string detail,
             std::string advice) {
  Finding finding;
  finding.id = id, finding.level = level;
  finding.title = std::move(title), finding.detail = std::move(detail), finding.advice = std::move(advice);
  finding.evidence.emplace_back("device", device.device);
  return finding;
}

void add_leaks(const Snapshot& snapshot, const DeviceMemory& device, const std::vector<Event>& events,
               std::vector<Finding>& findings) {
  const Steps steps = steps_of(snapshot, device.device, events);
  for (const auto& [stack, kept] : kept_by_stack(events, steps)) {
    const int64_t live = kept.blocks - kept.freed;
    const auto in_steps = static_cast<int64_t>(kept.steps.size());
    if (kept.freed > 1 || in_steps < kLeakSteps || kept.bytes < kLeakBytes) continue;
    const std::string place = place_of(snapshot.stacks[stack]);
    Finding finding =
        make("memory-leak", Level::kCritical, device,
             fmt::format("memory of {} is never freed: {} blocks, {}, and more in each step", place, live,
                         bytes_text(kept.bytes)),
             fmt::format("in {} steps, {} allocated {} blocks, of which {} were freed", in_steps, place, kept.blocks,
                         kept.freed == 0 ? "none" : fmt::format("{}", kept.freed)),
             "Find the code that keeps each result: a growing list, a loss summed with its graph (use .item() or "
             ".detach()), hooks or caches with tensors.");
    finding.evidence.emplace_back("blocks", live);
    finding.evidence.emplace_back("steps", in_steps);
    finding.evidence.emplace_back("kept_bytes", kept.bytes);
    finding.where.push_back(place);
    findings.push_back(std::move(finding));
  }
}

/// Segments that went back to the driver and were asked for again.
void add_thrash(const DeviceMemory& device, const std::vector<Event>& events, std::vector<Finding>& findings) {
  std::map<int64_t, int64_t> returned;  // bytes of a segment -> how often one of that size went back
  int64_t again = 0, again_bytes = 0;
  for (const Event& event : events) {
    if (event.action == Action::kSegmentFree) ++returned[event.bytes];
    if (event.action != Action::kSegmentAlloc) continue;
    const auto fits = returned.lower_bound(event.bytes);
    if (fits == returned.end()) continue;
    if (--fits->second == 0) returned.erase(fits);
    ++again;
    again_bytes += event.bytes;
  }
  if (again < kThrashSegments) return;
  Finding finding =
      make("allocator-thrash", Level::kWarn, device,
           fmt::format("the cache returned {} segments to the driver, and allocated as much again ({})", again,
                       bytes_text(again_bytes)),
           "Each costs a cudaFree, which waits for the device, and a cudaMalloc.",
           "Do not call torch.cuda.empty_cache() in a loop. Where memory is nearly full, the allocator empties its "
           "cache before it fails: use a smaller batch or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.");
  finding.evidence.emplace_back("segments_made_again", again);
  finding.evidence.emplace_back("segment_bytes", again_bytes);
  findings.push_back(std::move(finding));
}

std::string split_advice(const Snapshot& snapshot, const SmallerSplit& split) {
  const std::string place = split.stack == kNoStack ? "" : place_of(snapshot.stacks[split.stack]);
  return fmt::format(
      "{} blocks of {} in all{} were cut from {} larger segments of {}, which since then cannot go back to the "
      "driver. Set PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:{}: these blocks then get separate segments, the large "
      "segments stay whole, and the request fits. Or set expandable_segments:True.",
      split.blocks, bytes_text(split.blocks_bytes), place.empty() ? "" : fmt::format(" ({})", place), split.segments,
      bytes_text(split.segments_bytes), split.most_mib);
}

void add_out_of_memory(const Snapshot& snapshot, const DeviceMemory& device, const std::vector<Event>& events,
                       std::vector<Finding>& findings) {
  const auto last =
      std::find_if(events.rbegin(), events.rend(), [](const Event& e) { return e.action == Action::kOutOfMemory; });
  if (last == events.rend()) return;
  const std::vector<HeldSegment> held =
      state_after(snapshot, device.device, events, static_cast<size_t>(events.rend() - last) - 1);
  int64_t reserved = 0, in_use = 0;
  for (const HeldSegment& one : held) {
    reserved += one.segment.bytes;
    for (const Block& block : one.in_use) in_use += block.bytes;
  }
  const int64_t free_then = std::max<int64_t>(0, reserved - in_use);
  // A driver that had enough was not asked: torch.cuda.set_per_process_memory_fraction stopped the allocator.
  const bool limited = last->device_free_bytes >= last->bytes;
  const int64_t driver_had = limited ? 0 : last->device_free_bytes;
  const bool in_pieces = free_then + driver_had >= last->bytes && free_then > 0;
  const std::optional<SmallerSplit> split =
      in_pieces ? smaller_split(held, last->bytes, driver_had) : std::optional<SmallerSplit>();
  const std::string place = last->stack == kNoStack ? "" : place_of(snapshot.stacks[last->stack]);
  Finding finding = make(
      in_pieces ? "fragmented-oom" : "out-of-memory", Level::kCritical, device,
      fmt::format("out of memory: {} were requested{}", bytes_text(last->bytes), place.empty() ? "" : " at " + place),
      fmt::format("{} were reserved, of which {} were free in the cache, and the driver had {} left{}",
                  bytes_text(reserved), bytes_text(free_then), bytes_text(last->device_free_bytes),
                  limited ? ": a limit of the process (set_per_process_memory_fraction) stopped the allocator" : ""),
      split       ? split_advice(snapshot, *split)
      : in_pieces ? "Enough memory was free, but in pieces. Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: "
                    "segments then grow and shrink by pages."
                  : "Even all free pieces together were too small. Keep less memory allocated at once: see the "
                    "holders at the peak.");
  finding.evidence.emplace_back("asked_bytes", last->bytes);
  finding.evidence.emplace_back("free_in_cache_bytes", free_then);
  finding.evidence.emplace_back("free_on_device_bytes", last->device_free_bytes);
  if (split) {
    finding.evidence.emplace_back("max_split_size_mb", split->most_mib);
    finding.evidence.emplace_back("split_segments_bytes", split->segments_bytes);
    finding.evidence.emplace_back("cut_blocks_bytes", split->blocks_bytes);
  }
  if (!place.empty()) finding.where.push_back(place);
  findings.push_back(std::move(finding));
}

void add_fragmentation(const DeviceMemory& device, std::vector<Finding>& findings) {
  const double share = device.reserved_bytes == 0
                           ? 0
                           : static_cast<double>(device.stranded_bytes) / static_cast<double>(device.reserved_bytes);
  if (share < kMuchStranded) return;
  Finding finding = make("fragmentation", Level::kInfo, device,
                         fmt::format("{} of {} reserved are free, in segments with blocks in use",
                                     bytes_text(device.stranded_bytes), bytes_text(device.reserved_bytes)),
                         fmt::format("{} free pieces, the largest of {}: a larger request needs new memory",
                                     device.free_pieces, bytes_text(device.largest_free_bytes)),
                         "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets segments grow instead.");
  finding.evidence.emplace_back("stranded_bytes", device.stranded_bytes);
  finding.evidence.emplace_back("reserved_bytes", device.reserved_bytes);
  findings.push_back(std::move(finding));
}

}  // namespace

void add_findings(const Snapshot& snapshot, const DeviceMemory& device, const std::vector<Event>& events,
                  std::vector<Finding>& findings) {
  add_out_of_memory(snapshot, device, events, findings);
  add_leaks(snapshot, device, events, findings);
  add_thrash(device, events, findings);
  add_fragmentation(device, findings);
}

}  // namespace warplens::memory
