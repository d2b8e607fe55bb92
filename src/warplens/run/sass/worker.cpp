#include "warplens/run/sass/worker.h"

#include <algorithm>

#include "warplens/run/sass/counting/footprint.h"
#include "warplens/run/sass/recycled.h"

namespace warplens::simt::sass_machine {

Worker::Worker(const Run& run) : counts{Recycled<std::vector<simt::InstructionCounts>>::take(), {}, {}, {}, 0} {
  if (run.counted) counts.rows.clear();
  counts.rows.resize(run.ops.size() + 1);
  if (!run.counted || !run.translation) return;
  counts.taken.resize(run.ops.size());
  counts.simple.resize(run.ops.size());
  counts.patterns.resize(run.ops.size());
}

Worker::~Worker() {
  const size_t bytes = counts.rows.size() * sizeof counts.rows[0];
  Recycled<std::vector<simt::InstructionCounts>>::give_back(std::move(counts.rows), bytes);
}

void add_block_time(const Block& block, Worker* worker) {
  if (!block.run->counted) return;
  for (const Clock& clock : block.clocks)
    worker->warp_cycles += static_cast<double>(clock.now().back()) / static_cast<double>(block.clocks.size());
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    double longest = 0;
    for (const Clock& clock : block.clocks) longest = std::max(longest, static_cast<double>(clock.now()[level]));
    worker->cycles[level] += longest;
    worker->longest[level] = std::max(worker->longest[level], longest);
    if (level + 1 == kMemoryLevels) block.run->footprint->reuse().end_block(static_cast<uint64_t>(longest));
  }
}

void add_block(const Block& block, AtomicTally* atomics, MachineCounts* out) {
  atomics->add(block.atomics);
  for (const simt::AccessSample& sample : block.samples) simt::keep_costliest(&out->samples, sample);
  for (size_t kind = 0; kind < block.remote.requests.size(); ++kind) {
    out->remote.requests[kind] += block.remote.requests[kind];
    out->remote.sectors[kind] += block.remote.sectors[kind];
  }
  out->polled |= block.polled;
  out->inexact |= block.inexact;
  out->cache_lines += block.cache_lines;
  out->partial_sectors += block.partial_sectors;
  out->merged_sectors += block.open_writes.merged();
  out->completed_sectors += block.open_writes.completed();
  if (out->stop.kind == Stop::Kind::kNone) out->stop = block.stop;
  if (out->let_pass.kind == Stop::Kind::kNone) out->let_pass = block.let_pass;
}

void add_worker(const Worker& worker, AtomicTally* atomics, MachineCounts* out) {
  for (const auto& cluster : worker.clusters) {
    for (const Block& block : cluster->blocks) add_block(block, atomics, out);
  }
  for (size_t k = 0; k < out->instructions.size(); ++k) out->instructions[k].add(worker.counts.rows[k]);
  out->cache_lines += worker.counts.cache_lines;
  out->ended_blocks += worker.ended_blocks;
  out->warp_cycles += worker.warp_cycles / static_cast<double>(out->blocks);
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    out->block_cycles[level] += worker.cycles[level] / static_cast<double>(out->blocks);
    out->longest_block_cycles[level] = std::max(out->longest_block_cycles[level], worker.longest[level]);
  }
}

}  // namespace warplens::simt::sass_machine
