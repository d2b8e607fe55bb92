#include "warplens/run/ptx/collect.h"

namespace warplens::simt::ptx_machine {

void collect_counts(const Grid& grid, const std::vector<std::unique_ptr<Worker>>& workers, LaunchCounts& counts) {
  const Program& program = *grid.program;
  counts.places = program.places;
  counts.instructions.assign(program.places.size(), {});
  for (const auto& worker : workers) counts.blocks += worker->blocks_done;
  counts.warps = counts.blocks * grid.warps_per_block;
  counts.threads = counts.blocks * grid.threads_per_block;
  std::vector<uint64_t> runs(program.blocks.size()), lanes(program.blocks.size());
  for (const auto& worker : workers) {
    for (size_t b = 0; b < runs.size(); ++b) {
      runs[b] += worker->block_runs[b];
      lanes[b] += worker->block_lanes[b];
    }
    for (size_t i = 0; i < worker->rows.size(); ++i) counts.instructions[i].add(worker->rows[i]);
  }
  for (size_t i = 0; i < program.places.size(); ++i) {
    if (program.row_block[i] == kNoBlock) continue;
    InstructionCounts& row = counts.instructions[i];
    row.executions = runs[program.row_block[i]];
    row.active_threads = lanes[program.row_block[i]];
    if (!program.guarded_rows[i]) row.predicated_on_threads = row.active_threads;
    counts.warp_instructions += row.executions;
    counts.thread_instructions += row.predicated_on_threads;
  }
  if (!grid.config->count) counts.thread_instructions = 0;  // nobody looked at the guards
}

}  // namespace warplens::simt::ptx_machine
