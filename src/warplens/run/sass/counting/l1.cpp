#include "warplens/run/sass/counting/l1.h"

#include <algorithm>

namespace warplens::simt::sass_machine {

bool L1Cache::read(uint64_t sector) {
  const uint64_t tag = sector / 4;
  const uint32_t bit = 1u << sector % 4;
  const auto found = where_.find(tag);
  if (found != where_.end()) {
    order_.splice(order_.begin(), order_, found->second);
    Line& line = *found->second;
    const bool hit = line.sectors & bit;
    if (!hit) line.fetched[sector % 4] = round_;
    if (hit && line.fetched[sector % 4] == round_) ++counts.late_hits;
    line.sectors |= bit;
    ++(hit ? counts.hits : counts.misses);
    return hit;
  }
  ++counts.misses;
  order_.push_front({tag, bit, {round_, round_, round_, round_}});
  where_[tag] = order_.begin();
  if (order_.size() > lines_) {
    where_.erase(order_.back().tag);
    order_.pop_back();
  }
  return false;
}

namespace {

struct Cursor {
  const std::vector<uint64_t>* requests;
  size_t at = 0;
};

void replay_together(std::vector<Cursor>& warps, L1Cache* cache) {
  for (bool more = true; more;) {
    more = false;
    cache->begin_round();
    for (Cursor& warp : warps) {
      const std::vector<uint64_t>& requests = *warp.requests;
      const size_t first = warp.at;
      while (warp.at < requests.size() && (warp.at == first || !(requests[warp.at] & L1Trace::kWaited))) {
        const uint64_t count = requests[warp.at++] & ~L1Trace::kWaited;
        for (uint64_t k = 0; k < count; ++k) cache->read(requests[warp.at++]);
      }
      more |= warp.at > first;
    }
  }
}

/// How many sectors a warp's requests read, each counted once; `all` counts them as often as they are there.
uint64_t distinct_of(const std::vector<uint64_t>& requests, uint64_t* all) {
  std::vector<uint64_t> sectors;
  for (size_t at = 0; at < requests.size();) {
    const uint64_t count = requests[at++] & ~L1Trace::kWaited;
    sectors.insert(sectors.end(), requests.begin() + static_cast<std::ptrdiff_t>(at),
                   requests.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
  }
  *all += sectors.size();
  std::sort(sectors.begin(), sectors.end());
  return static_cast<uint64_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
}

}  // namespace

DistinctSectors distinct_sectors(const std::map<uint64_t, L1Trace>& blocks) {
  constexpr uint64_t kEnough = 1 << 17;
  DistinctSectors out;
  for (const auto& [index, block] : blocks) {
    for (const auto& warp : block.warps) {
      if (out.all >= kEnough) return out;
      out.of_warps += distinct_of(warp, &out.all);
    }
  }
  return out;
}

L1Cache replay(const std::map<uint64_t, L1Trace>& blocks, size_t resident, uint64_t cache_bytes) {
  L1Cache cache(cache_bytes);
  std::vector<Cursor> together;
  size_t held = 0, replayed = 0;
  for (const auto& [index, block] : blocks) {
    for (const auto& warp : block.warps) together.push_back({&warp});
    if (++held < resident) continue;
    replay_together(together, &cache);
    together.clear();
    held = 0;
    if (2 * ++replayed * resident <= blocks.size()) cache.first_half = cache.counts;
  }
  replay_together(together, &cache);
  return cache;
}

}  // namespace warplens::simt::sass_machine
