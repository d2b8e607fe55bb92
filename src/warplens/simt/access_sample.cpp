#include "warplens/simt/access_sample.h"

#include <algorithm>
#include <bit>

namespace warplens::kernel {
namespace {

constexpr int kLanes = 32, kBanks = 32;

/// More for what it needs, then more lanes, then the earlier block and warp: the same at any number of threads.
bool costs_more(const AccessSample& a, const AccessSample& b) {
  const auto key = [](const AccessSample& s) {
    return std::array<int64_t, 6>{static_cast<int64_t>(s.cost) - static_cast<int64_t>(s.ideal), std::popcount(s.lanes),
                                  -int64_t{s.block[2]}, -int64_t{s.block[1]}, -int64_t{s.block[0]}, -int64_t{s.warp}};
  };
  return key(a) > key(b);
}

/// Does each lane of `mask` go where its neighbour at distance `step` goes?
bool paired(const AccessSample& s, uint32_t mask, uint32_t step) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(left)), other = lane ^ step;
    if ((mask >> other & 1) && s.addresses[lane] != s.addresses[other]) return false;
  }
  return true;
}

void add_halves(const AccessSample& s, uint32_t mask, uint32_t low, std::vector<uint32_t>* groups) {
  if (!mask) return;
  if (!s.store && (paired(s, mask, 1) || paired(s, mask, 2))) return groups->push_back(mask);
  for (const uint32_t half : {mask & low, mask & ~low}) {
    if (half) groups->push_back(half);
  }
}

/// Lanes that shared memory serves together: all for up to 4 bytes, half-warps for 8, quarters for 16; two of
/// a load join when all their lanes pair up. Measured on an H200.
std::vector<uint32_t> groups_of(const AccessSample& s) {
  std::vector<uint32_t> groups;
  if (s.group_lanes) {
    for (uint32_t first = 0; first < kLanes; first += s.group_lanes) {
      if (const uint32_t mask = s.lanes & ((uint32_t{1} << s.group_lanes) - 1) << first) groups.push_back(mask);
    }
  } else if (s.size_bytes <= 4) {
    groups.push_back(s.lanes);
  } else if (s.size_bytes <= 8) {
    add_halves(s, s.lanes, 0x0000ffff, &groups);
  } else {
    add_halves(s, s.lanes & 0x0000ffff, 0x000000ff, &groups);
    add_halves(s, s.lanes & 0xffff0000, 0x00ff0000, &groups);
  }
  return groups;
}

}  // namespace

void keep_costliest(std::vector<AccessSample>* samples, const AccessSample& sample) {
  const auto same = std::find_if(samples->begin(), samples->end(),
                                 [&](const auto& s) { return s.instruction == sample.instruction; });
  if (same == samples->end()) {
    samples->push_back(sample);
  } else if (costs_more(sample, *same)) {
    *same = sample;
  }
}

std::vector<std::array<int, 32>> shared_passes(const AccessSample& s) {
  std::vector<std::array<int, 32>> passes;
  for (const uint32_t group : groups_of(s)) {
    const size_t first = passes.size();
    std::array<std::vector<uint64_t>, kBanks> served;  // words that each bank gave so far
    for (uint32_t left = group; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t at = s.addresses[static_cast<size_t>(lane)];
      for (uint64_t word = at / 4; word <= (at + s.size_bytes - 1) / 4; ++word) {
        auto& words = served[word % kBanks];
        if (!s.apart && std::find(words.begin(), words.end(), word) != words.end()) continue;
        if (first + words.size() == passes.size()) passes.emplace_back().fill(-1);
        passes[first + words.size()][word % kBanks] = lane;
        words.push_back(word);
      }
    }
  }
  return passes;
}

}  // namespace warplens::kernel
