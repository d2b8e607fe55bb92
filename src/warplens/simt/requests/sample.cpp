#include "warplens/simt/requests/sample.h"

#include <algorithm>
#include <bit>

namespace warplens::simt {
namespace {

/// More for what it needs, then more lanes, then the earlier block and warp: the same at any number of threads.
bool costs_more(const AccessSample& a, const AccessSample& b) {
  const auto key = [](const AccessSample& s) {
    return std::array<int64_t, 6>{static_cast<int64_t>(s.cost) - static_cast<int64_t>(s.ideal),
                                  std::popcount(s.lanes),
                                  -int64_t{s.block[2]},
                                  -int64_t{s.block[1]},
                                  -int64_t{s.block[0]},
                                  -int64_t{s.warp}};
  };
  return key(a) > key(b);
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
  const auto serve = [&](uint32_t group) {
    const size_t first = passes.size();
    each_served_word(s.addresses.data(), group, s.size_bytes, s.apart,
                     [&](uint32_t pass, uint32_t bank, uint32_t lane) {
                       if (first + pass == passes.size()) passes.emplace_back().fill(-1);
                       passes[first + pass][bank] = static_cast<int>(lane);
                     });
  };
  if (s.group_lanes == 0) {
    each_bank_group(s.addresses.data(), s.lanes, s.size_bytes, s.joins, serve);
    return passes;
  }
  for (uint32_t first = 0; first < kLanes; first += s.group_lanes)
    serve(s.lanes & ((uint32_t{1} << s.group_lanes) - 1) << first);
  return passes;
}

}  // namespace warplens::simt
