#include "warplens/memory/analysis.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/memory/findings.h"
#include "warplens/memory/steps.h"

namespace warplens::memory {
namespace {

constexpr size_t kSlices = 10;
constexpr int64_t kBlockBytes = 512;  // kMinBlockSize of torch's CUDACachingAllocator.cpp
constexpr const char* kBeforeRecording = "allocated before the recording began: no stack is known";
constexpr const char* kWithoutStack = "no stack was recorded (record_memory_history with stacks)";

int64_t rounded_up(int64_t bytes) {
  const int64_t over = bytes % kBlockBytes;
  return over == 0 || bytes > INT64_MAX - kBlockBytes ? bytes : bytes + kBlockBytes - over;
}

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

void count(const Event& event, int64_t live_bytes, Slice& slice) {
  slice.peak_bytes = std::max(slice.peak_bytes, live_bytes);
  slice.end_bytes = live_bytes;
  slice.allocations += event.action == Action::kAlloc;
  slice.segments_made += event.action == Action::kSegmentAlloc;
  slice.segments_freed += event.action == Action::kSegmentFree;
}

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
  out.slices.resize(std::min(events.size(), kSlices));
  for (size_t i = 0; i < events.size(); ++i) {
    apply(events[i], live);
    if (live.bytes > out.peak_bytes) out.peak_bytes = live.bytes, peak = i;
    count(events[i], live.bytes, out.slices[i * out.slices.size() / events.size()]);
    if (events[i].time_us > 0)
      out.over_time.emplace_back((events[i].time_us - events.front().time_us) * 1000, live.bytes);
  }
  return peak;
}

void add_steps(const Snapshot& snapshot, const std::vector<Event>& events, Live live, DeviceMemory& out) {
  const Steps steps = steps_of(snapshot, out.device, events);
  if (steps.ends.empty()) return;
  out.steps_end_at = steps.end_at;
  size_t first = 0;
  for (const size_t end : steps.ends) {
    Slice& slice = out.steps.emplace_back();
    slice.peak_bytes = slice.end_bytes = live.bytes;
    for (; first < end; ++first) {
      apply(events[first], live);
      count(events[first], live.bytes, slice);
    }
  }
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
  add_steps(snapshot, events, before, out);
  Live live = before;
  for (size_t i = 0; peak != events.size() && i <= peak; ++i) apply(events[i], live);
  out.owners = owners_of(snapshot, live, before);
  return out;
}

}  // namespace

std::vector<Event> events_of_blocks(const Snapshot& snapshot, int64_t device) {
  if (static_cast<size_t>(device) >= snapshot.events.size()) return {};
  std::vector<Event> events = snapshot.events[static_cast<size_t>(device)];
  std::unordered_map<int64_t, int64_t> there;  // address -> bytes
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    for (const Block& block : segment.blocks)
      if (block.allocated) there[block.address] = block.bytes;
  }
  for (Event& event : std::views::reverse(events)) {
    if (event.action != Action::kAlloc && event.action != Action::kFree) continue;
    const auto block = there.find(event.address);
    event.bytes = block != there.end() && event.action == Action::kAlloc ? block->second : rounded_up(event.bytes);
    if (block != there.end()) there.erase(block);  // what stood here before is another block
  }
  std::unordered_map<int64_t, uint32_t> allocated_by;  // address -> stack
  for (Event& event : events) {
    if (event.action == Action::kAlloc) allocated_by[event.address] = event.stack;
    if (event.action != Action::kFree) continue;
    const auto known = allocated_by.find(event.address);
    event.stack = known == allocated_by.end() ? kNoStack : known->second;
    if (known != allocated_by.end()) allocated_by.erase(known);
  }
  return events;
}

MemoryReport analyse(const Snapshot& snapshot) {
  MemoryReport report;
  std::map<int64_t, bool> devices;
  for (const Segment& segment : snapshot.segments) devices[segment.device] = true;
  for (size_t i = 0; i < snapshot.events.size(); ++i) {
    if (!snapshot.events[i].empty()) devices[static_cast<int64_t>(i)] = true;
  }
  for (const auto& [device, there] : devices) {
    const std::vector<Event> events = events_of_blocks(snapshot, device);
    report.devices.push_back(analyse_device(snapshot, device, events));
    add_findings(snapshot, report.devices.back(), events, report.findings);
  }
  return report;
}

}  // namespace warplens::memory
