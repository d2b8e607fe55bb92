#include "warplens/sass/worker.h"

#include <algorithm>

namespace warplens::sass {

void add_block_time(const Block& block, Worker* worker) {
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    double longest = 0;
    for (const Clock& clock : block.clocks) longest = std::max(longest, static_cast<double>(clock.now()[level]));
    worker->cycles[level] += longest;
    worker->longest[level] = std::max(worker->longest[level], longest);
  }
}

void add_block(const Block& block, LineTally* atomics, MachineCounts* out) {
  block.atomic_lines.each([&](uint64_t line, uint64_t cycles) {
    out->hottest_atomic_cycles = std::max(out->hottest_atomic_cycles, atomics->add(line, cycles));
  });
  for (const kernel::AccessSample& sample : block.samples) kernel::keep_costliest(&out->samples, sample);
  for (size_t kind = 0; kind < block.remote.requests.size(); ++kind) {
    out->remote.requests[kind] += block.remote.requests[kind];
    out->remote.sectors[kind] += block.remote.sectors[kind];
  }
  out->polled |= block.polled;
  out->inexact |= block.inexact;
  out->cache_lines += block.cache_lines;
  out->partial_sectors += block.partial_sectors;
  if (out->stop.kind == Stop::Kind::kNone) out->stop = block.stop;
}

void add_worker(const Worker& worker, LineTally* atomics, MachineCounts* out) {
  for (const Block& block : worker.cluster.blocks) add_block(block, atomics, out);
  for (size_t k = 0; k < out->instructions.size(); ++k) out->instructions[k].add(worker.counts[k]);
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    out->block_cycles[level] += worker.cycles[level] / static_cast<double>(out->blocks);
    out->longest_block_cycles[level] = std::max(out->longest_block_cycles[level], worker.longest[level]);
  }
}

}  // namespace warplens::sass
