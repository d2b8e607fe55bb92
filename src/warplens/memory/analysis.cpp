#include "warplens/memory/analysis.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/memory/findings.h"

namespace warplens::memory {
namespace {

constexpr size_t kSlices = 10;
constexpr const char* kBeforeRecording = "allocated before the recording began: no stack is known";
constexpr const char* kWithoutStack = "no stack was recorded (record_memory_history with stacks)";

/// What is allocated at one moment: blocks by address.
struct Live {
  std::unordered_map<int64_t, std::pair<int64_t, uint32_t>> blocks;  // address -> bytes, stack
  int64_t bytes = 0;

  void add(int64_t address, int64_t size, uint32_t stack) {
    remove(address);
    blocks[address] = {size, stack};
    bytes += size;
  }
  void remove(int64_t address) {
    const auto found = blocks.find(address);
    if (found == blocks.end()) return;
    bytes -= found->second.first;
    blocks.erase(found);
  }
};

/// What was allocated when the recording began: what is allocated at its end, taken back event by event.
Live at_begin(const Snapshot& snapshot, int64_t device, const std::vector<Event>& events) {
  Live live;
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    for (const Block& block : segment.blocks) {
      if (block.allocated) live.add(block.address, block.bytes, block.stack);
    }
  }
  for (size_t i = events.size(); i-- > 0;) {
    if (events[i].action == Action::kAlloc) live.remove(events[i].address);
    if (events[i].action == Action::kFree) live.add(events[i].address, events[i].bytes, events[i].stack);
  }
  return live;
}

void apply(const Event& event, Live& live) {
  if (event.action == Action::kAlloc) live.add(event.address, event.bytes, event.stack);
  if (event.action == Action::kFree) live.remove(event.address);
}

std::vector<Owner> owners_of(const Snapshot& snapshot, const Live& live, const Live& before) {
  std::map<std::pair<std::string, std::string_view>, Owner> found;
  for (const auto& [address, block] : live.blocks) {
    const auto& [bytes, stack] = block;
    const auto earlier = before.blocks.find(address);
    const bool was_there = earlier != before.blocks.end() && earlier->second == block;
    std::string place =
        stack == kNoStack ? (was_there ? kBeforeRecording : kWithoutStack) : place_of(snapshot.stacks[stack]);
    const std::string_view category = stack == kNoStack ? "not known" : category_of(snapshot.stacks[stack]);
    Owner& owner = found[{place, category}];
    owner.place = std::move(place), owner.category = category;
    owner.bytes += bytes;
    ++owner.blocks;
  }
  std::vector<Owner> out;
  for (auto& [key, owner] : found) out.push_back(std::move(owner));
  std::stable_sort(out.begin(), out.end(), [](const Owner& a, const Owner& b) { return a.bytes > b.bytes; });
  return out;
}

/// The event after which most is allocated; the number of events where the begin is the peak.
size_t peak_event(const std::vector<Event>& events, Live live, DeviceMemory& out) {
  size_t peak = events.size();
  out.peak_bytes = live.bytes;
  out.slices.resize(events.empty() ? 0 : kSlices);
  for (size_t i = 0; i < events.size(); ++i) {
    apply(events[i], live);
    if (live.bytes > out.peak_bytes) out.peak_bytes = live.bytes, peak = i;
    Slice& slice = out.slices[i * kSlices / events.size()];
    slice.peak_bytes = std::max(slice.peak_bytes, live.bytes);
    slice.end_bytes = live.bytes;
    if (events[i].time_us > 0)
      out.over_time.emplace_back((events[i].time_us - events.front().time_us) * 1000, live.bytes);
    slice.allocations += events[i].action == Action::kAlloc;
    slice.segments_made += events[i].action == Action::kSegmentAlloc;
    slice.segments_freed += events[i].action == Action::kSegmentFree;
  }
  return peak;
}

void add_state(const Snapshot& snapshot, DeviceMemory& out) {
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != out.device) continue;
    out.reserved_bytes += segment.bytes;
    int64_t allocated = 0, free = 0;
    for (const Block& block : segment.blocks) {
      if (block.allocated) {
        allocated += block.bytes;
        out.requested_bytes += block.requested_bytes;
      } else if (block.bytes > 0) {
        free += block.bytes;
        out.largest_free_bytes = std::max(out.largest_free_bytes, block.bytes);
        ++out.free_pieces;
      }
    }
    out.allocated_bytes += allocated;
    if (allocated > 0) out.stranded_bytes += free;
  }
}

DeviceMemory analyse_device(const Snapshot& snapshot, int64_t device, const std::vector<Event>& events) {
  DeviceMemory out;
  out.device = device;
  out.events = static_cast<int64_t>(events.size());
  add_state(snapshot, out);
  const Live before = at_begin(snapshot, device, events);
  const size_t peak = peak_event(events, before, out);
  out.peak_from_events = !events.empty();
  Live live = before;
  for (size_t i = 0; peak != events.size() && i <= peak; ++i) apply(events[i], live);
  out.owners = owners_of(snapshot, live, before);
  return out;
}

}  // namespace

MemoryReport analyse(const Snapshot& snapshot) {
  MemoryReport report;
  std::map<int64_t, bool> devices;
  for (const Segment& segment : snapshot.segments) devices[segment.device] = true;
  for (size_t i = 0; i < snapshot.events.size(); ++i) {
    if (!snapshot.events[i].empty()) devices[static_cast<int64_t>(i)] = true;
  }
  static const std::vector<Event> kNoEvents;
  for (const auto& [device, there] : devices) {
    const bool has_events = static_cast<size_t>(device) < snapshot.events.size();
    const std::vector<Event>& events = has_events ? snapshot.events[static_cast<size_t>(device)] : kNoEvents;
    report.devices.push_back(analyse_device(snapshot, device, events));
    add_findings(snapshot, report.devices.back(), events, report.findings);
  }
  return report;
}

}  // namespace warplens::memory
