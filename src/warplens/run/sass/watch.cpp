#include "warplens/run/sass/watch.h"

#include <algorithm>

#include "warplens/run/sass/addresses.h"

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
  const uint32_t opcode = w.block->run->ops[w.pc].word.opcode();
  sample.apart = shared && (opcode == 0x18c || opcode == 0x18d) && w.block->run->ops[w.pc].word.form() != 7;
  sample.group_lanes = opcode == 0x03b || opcode == 0x044 ? 8 : 0;
  sample.cost = cost;
  sample.ideal = ideal;
  std::copy(std::begin(at.value), std::end(at.value), sample.addresses.begin());
  simt::keep_costliest(&w.block->samples, sample);
}

}  // namespace warplens::simt::sass_machine
