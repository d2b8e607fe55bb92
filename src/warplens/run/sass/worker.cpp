#include "warplens/run/sass/worker.h"

#include <algorithm>
#include <cmath>

namespace warplens::simt::sass_machine {

void add_block_time(const Block& block, Worker* worker) {
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    double longest = 0;
    for (const Clock& clock : block.clocks) longest = std::max(longest, static_cast<double>(clock.now()[level]));
    worker->cycles[level] += longest;
    worker->longest[level] = std::max(worker->longest[level], longest);
    if (level + 1 == kMemoryLevels) block.run->footprint->reuse().end_block(static_cast<uint64_t>(longest));
  }
}

void add_block(const Block& block, LineTally* atomics, MachineCounts* out) {
  block.atomic_lines.each([&](uint64_t line, uint64_t half_cycles) {
    out->hottest_atomic_cycles = std::max(out->hottest_atomic_cycles, atomics->add(line, half_cycles) / 2);
  });
  for (const simt::AccessSample& sample : block.samples) simt::keep_costliest(&out->samples, sample);
  for (size_t kind = 0; kind < block.remote.requests.size(); ++kind) {
    out->remote.requests[kind] += block.remote.requests[kind];
    out->remote.sectors[kind] += block.remote.sectors[kind];
  }
  out->polled |= block.polled;
  out->inexact |= block.inexact;
  out->cache_lines += block.cache_lines;
  out->partial_sectors += block.partial_sectors;
  out->merged_sectors += block.merged_sectors;
  if (out->stop.kind == Stop::Kind::kNone) out->stop = block.stop;
  if (out->let_pass.kind == Stop::Kind::kNone) out->let_pass = block.let_pass;
}

void add_busiest_slice(const LineTally& atomics, MachineCounts* out) {
  constexpr double kSlices = 96, kSpread = 2.5;  // about an H200's; the most among so many, in standard deviations
  double half_cycles = 0, lines = 0;
  atomics.each([&](uint64_t, uint64_t sum) { half_cycles += static_cast<double>(sum), ++lines; });
  if (lines == 0) return;
  const double busiest = half_cycles / 2 / kSlices * (1 + kSpread / std::sqrt(lines / kSlices));
  out->hottest_atomic_cycles = std::max(out->hottest_atomic_cycles, static_cast<uint64_t>(busiest));
}

void add_worker(const Worker& worker, LineTally* atomics, MachineCounts* out) {
  for (const auto& cluster : worker.clusters) {
    for (const Block& block : cluster->blocks) add_block(block, atomics, out);
  }
  for (size_t k = 0; k < out->instructions.size(); ++k) out->instructions[k].add(worker.counts[k]);
  out->ended_blocks += worker.ended_blocks;
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    out->block_cycles[level] += worker.cycles[level] / static_cast<double>(out->blocks);
    out->longest_block_cycles[level] = std::max(out->longest_block_cycles[level], worker.longest[level]);
  }
}

}  // namespace warplens::simt::sass_machine
