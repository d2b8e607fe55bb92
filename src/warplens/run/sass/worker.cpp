#include "warplens/run/sass/worker.h"

#include <algorithm>

#include "warplens/run/sass/recycled.h"

namespace warplens::simt::sass_machine {

Worker::Worker(const Run& run) : counts{Recycled<std::vector<simt::InstructionCounts>>::take(), {}, {}, {}, 0} {
  if (run.counted) counts.rows.clear();
  counts.rows.resize(run.ops.size() + 1);
  if (!run.translation) return;
  counts.patterns.resize(run.accesses);
  if (!run.counted) return;
  counts.taken.resize(run.ops.size());
  counts.simple.resize(run.ops.size());
}

Worker::~Worker() {
  const size_t bytes = counts.rows.size() * sizeof counts.rows[0];
  Recycled<std::vector<simt::InstructionCounts>>::give_back(std::move(counts.rows), bytes);
}

uint64_t block_cycles(const Block& block) {
  uint64_t longest = 0;
  for (const Clock& clock : block.clocks) longest = std::max(longest, clock.now().back());
  return longest;
}

void add_block_time(const Block& block, Worker* worker) {
  if (!block.run->counted) return;
  Cycles longest{};
  for (const Clock& clock : block.clocks) {
    const Cycles now = clock.now();
    worker->warp_cycles += now.back();
    for (size_t level = 0; level < kMemoryLevels; ++level) longest[level] = std::max(longest[level], now[level]);
  }
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    worker->cycles[level] += longest[level];
    worker->longest[level] = std::max(worker->longest[level], longest[level]);
  }
}

void add_block(const Block& block, AtomicTally* atomics, MachineCounts* out) {
  atomics->add(block.atomics);
  for (const simt::AccessSample& sample : block.samples) simt::keep_costliest(&out->samples, sample);
  for (size_t kind = 0; kind < block.remote.requests.size(); ++kind) {
    out->remote.requests[kind] += block.remote.requests[kind];
    out->remote.sectors[kind] += block.remote.sectors[kind];
  }
  out->remote.whole_sectors += block.remote.whole_sectors;
  out->remote.crowded_sectors += block.remote.crowded_sectors;
  out->polled |= block.polled;
  out->inexact |= block.inexact;
  out->cache_lines += block.cache_lines;
  out->partial_sectors += block.partial_sectors;
  out->exchanged_sectors += block.touches.exchanged;
  out->merged_sectors += block.open_writes.merged();
  out->completed_sectors += block.open_writes.completed();
  if (out->stop.kind == Stop::Kind::kNone) out->stop = block.stop;
  if (out->let_pass.kind == Stop::Kind::kNone) out->let_pass = block.let_pass;
}

void add_worker(const Worker& worker, AtomicTally* atomics, MachineCounts* out) {
  for (const auto& cluster : worker.clusters) {
    close_remote_turns(*cluster);
    for (const Block& block : cluster->blocks) add_block(block, atomics, out);
  }
  for (size_t k = 0; k < out->instructions.size(); ++k) out->instructions[k].add(worker.counts.rows[k]);
  out->cache_lines += worker.counts.cache_lines;
  out->ended_blocks += worker.ended_blocks;
  // Sums of whole numbers: the order of the workers changes nothing.
  out->warp_cycles += static_cast<double>(worker.warp_cycles);
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    double& longest = out->longest_block_cycles[level];
    out->block_cycles[level] += static_cast<double>(worker.cycles[level]);
    longest = std::max(longest, static_cast<double>(worker.longest[level]));
  }
}

void average_times(MachineCounts* out) {
  out->warp_cycles /= static_cast<double>(out->warps);
  for (double& cycles : out->block_cycles) cycles /= static_cast<double>(out->blocks);
}

}  // namespace warplens::simt::sass_machine
