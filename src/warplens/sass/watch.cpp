#include "warplens/sass/watch.h"

#include <algorithm>

#include "warplens/sass/addresses.h"

namespace warplens::sass {
namespace {

/// More for what it needs, then more lanes, then the earlier block and warp: the same at any number of threads.
bool costs_more(const kernel::AccessSample& a, const kernel::AccessSample& b) {
  const auto key = [](const kernel::AccessSample& s) {
    return std::array<int64_t, 6>{static_cast<int64_t>(s.cost) - static_cast<int64_t>(s.ideal), __builtin_popcount(s.lanes),
                                  -int64_t{s.block[2]}, -int64_t{s.block[1]}, -int64_t{s.block[0]}, -int64_t{s.warp}};
  };
  return key(a) > key(b);
}

}  // namespace

void keep_costliest(std::vector<kernel::AccessSample>* samples, const kernel::AccessSample& sample) {
  const auto same = std::find_if(samples->begin(), samples->end(), [&](const auto& s) { return s.instruction == sample.instruction; });
  if (same == samples->end()) {
    samples->push_back(sample);
  } else if (costs_more(sample, *same)) {
    *same = sample;
  }
}

void watch_request(Warp& w, const Addresses& at, uint32_t on, uint32_t size_bytes, bool shared, bool store, uint64_t cost,
                   uint64_t ideal) {
  kernel::AccessSample sample;
  sample.space = shared ? kernel::AccessSample::Space::kShared : kernel::AccessSample::Space::kGlobal;
  sample.store = store;
  sample.instruction = w.pc;
  sample.block = w.block->index;
  sample.warp = w.index;
  sample.lanes = on;
  sample.size_bytes = size_bytes;
  sample.cost = cost;
  sample.ideal = ideal;
  std::copy(std::begin(at.value), std::end(at.value), sample.addresses.begin());
  keep_costliest(&w.block->samples, sample);
}

}  // namespace warplens::sass
