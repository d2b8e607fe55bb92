#include "warplens/run/sass/memory/watch.h"

#include <algorithm>

#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/atomics.h"

namespace warplens::simt::sass_machine {

void watch_request(Warp& w, const Addresses& at, uint32_t on, uint32_t size_bytes, bool shared, bool store,
                   uint64_t cost, uint64_t ideal, Joins joins) {
  simt::AccessSample sample;
  sample.space = shared ? simt::AccessSample::Space::kShared : simt::AccessSample::Space::kGlobal;
  sample.store = store;
  sample.joins = store ? Joins::kNever : joins;
  sample.instruction = w.pc;
  sample.block = w.block->index;
  sample.warp = w.index;
  sample.lanes = on;
  sample.size_bytes = size_bytes;
  const Op& op = w.block->run->ops[w.pc];
  sample.apart = shared && instruction(op.opcode).access == Access::kSharedAtomic && !counts_lanes(op.word);
  sample.group_lanes = moves_matrices(op.opcode) ? 8 : 0;
  sample.cost = cost;
  sample.ideal = ideal;
  std::copy(std::begin(at.value), std::end(at.value), sample.addresses.begin());
  simt::keep_costliest(&w.block->samples, sample);
}

}  // namespace warplens::simt::sass_machine
