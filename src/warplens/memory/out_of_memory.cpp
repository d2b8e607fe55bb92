#include "warplens/memory/out_of_memory.h"

#include <algorithm>
#include <map>
#include <set>

namespace warplens::memory {
namespace {

// Of torch's CUDACachingAllocator.cpp.
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kSegmentBytes = 20 * kMiB;     // kLargeBuffer: what requests of 1 to 10 MiB share
constexpr int64_t kOwnSegmentBytes = 10 * kMiB;  // kMinLargeAlloc: from here on a request gets a segment of its own,
constexpr int64_t kSegmentRounding = 2 * kMiB;   // kRoundLarge: rounded up to this
constexpr int64_t kLeastSplitMib = kSegmentBytes / kMiB + 1;  // smaller settings are refused

int64_t rounded_up(int64_t bytes, int64_t to) { return (bytes + to - 1) / to * to; }

/// Free pieces of a segment, by size.
void add_free_pieces(const HeldSegment& held, std::multiset<int64_t>& out) {
  int64_t at = held.segment.address;
  for (const Block& block : held.in_use) {
    if (block.address > at) out.insert(block.address - at);
    at = std::max(at, block.address + block.bytes);
  }
  const int64_t end = held.segment.address + held.segment.bytes;
  if (end > at) out.insert(end - at);
}

/// Bytes of new segments that `blocks` need where they do not fit into `pieces`.
int64_t new_segments(std::vector<int64_t> blocks, std::multiset<int64_t> pieces) {
  std::ranges::sort(blocks, std::greater());
  int64_t made = 0;
  for (const int64_t bytes : blocks) {
    const auto fits = pieces.lower_bound(bytes);
    if (fits != pieces.end()) {
      const int64_t left = *fits - bytes;
      pieces.erase(fits);
      if (left > 0) pieces.insert(left);
      continue;
    }
    const int64_t segment = bytes >= kOwnSegmentBytes ? rounded_up(bytes, kSegmentRounding) : kSegmentBytes;
    made += segment;
    if (segment > bytes) pieces.insert(segment - bytes);
  }
  return made;
}

bool is_small_beside(const Block& block, int64_t most_bytes) { return block.bytes < most_bytes; }

/// What a limit of `most_mib` would have left free as a whole, and whether the request then fits.
std::optional<SmallerSplit> with_limit(const std::vector<HeldSegment>& held, int64_t most_mib, int64_t request,
                                       int64_t device_free_bytes) {
  const int64_t most_bytes = most_mib * kMiB;
  SmallerSplit out{most_mib};
  std::vector<int64_t> moved;
  std::multiset<int64_t> pieces;
  int64_t largest = 0;
  for (const HeldSegment& one : held) {
    const bool stays_whole = one.segment.bytes >= most_bytes && std::ranges::all_of(one.in_use, [&](const Block& b) {
                               return is_small_beside(b, most_bytes);
                             });
    if (!stays_whole) {
      // What is left of a segment above the limit serves no request below it.
      if (!one.segment.small_pool && one.segment.bytes < most_bytes) add_free_pieces(one, pieces);
      continue;
    }
    ++out.segments;
    out.segments_bytes += one.segment.bytes;
    for (const Block& block : one.in_use) {
      ++out.blocks;
      out.blocks_bytes += block.bytes;
      moved.push_back(block.bytes);
      if (block.bytes > largest) largest = block.bytes, out.stack = block.stack;
    }
  }
  const int64_t room = device_free_bytes + out.segments_bytes - new_segments(std::move(moved), std::move(pieces));
  if (out.segments == 0 || room < rounded_up(request, kSegmentRounding)) return std::nullopt;
  return out;
}

}  // namespace

std::vector<HeldSegment> state_after(const Snapshot& snapshot, int64_t device, const std::vector<Event>& events,
                                     size_t after) {
  std::map<int64_t, Segment> segments;  // by address
  std::map<int64_t, Block> in_use;
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    for (const Block& block : segment.blocks)
      if (block.allocated) in_use[block.address] = block;
    Segment& kept = segments[segment.address] = segment;
    kept.blocks.clear();
  }
  for (size_t i = events.size(); i-- > after + 1;) {
    const Event& event = events[i];
    if (event.action == Action::kAlloc) in_use.erase(event.address);
    if (event.action == Action::kFree)
      in_use[event.address] = {event.address, event.bytes, event.bytes, true, event.stack};
    if (event.action == Action::kSegmentAlloc) segments.erase(event.address);
    if (event.action == Action::kSegmentFree)
      segments[event.address] = {device, event.address, event.bytes, event.stream};
  }
  std::vector<HeldSegment> out;
  for (auto at = segments.begin(); at != segments.end(); ++at) {
    const auto next = std::next(at);
    HeldSegment& held = out.emplace_back(HeldSegment{at->second, {}});
    for (auto block = in_use.lower_bound(at->first);
         block != in_use.end() && block->first - at->first < at->second.bytes; ++block) {
      if (next != segments.end() && block->first >= next->first) break;  // of a damaged file: segments overlap
      held.in_use.push_back(block->second);
    }
  }
  return out;
}

std::optional<SmallerSplit> smaller_split(const std::vector<HeldSegment>& held, int64_t request,
                                          int64_t device_free_bytes) {
  std::set<int64_t> limits;  // each lets another block be cut from large segments no more
  for (const HeldSegment& one : held) {
    if (one.segment.expandable) return std::nullopt;
    if (one.segment.small_pool || one.segment.bytes < kLeastSplitMib * kMiB) continue;
    for (const Block& block : one.in_use) limits.insert(std::max(kLeastSplitMib, block.bytes / kMiB + 1));
  }
  for (const int64_t most_mib : limits)
    if (auto found = with_limit(held, most_mib, request, device_free_bytes)) return found;
  return std::nullopt;
}

}  // namespace warplens::memory
