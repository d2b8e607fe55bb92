#include "warplens/run/ptx/limits.h"

#include "warplens/base/text.h"
#include "warplens/base/timing.h"

namespace warplens::simt::ptx_machine {
namespace {

Status limit_reached(const Grid& grid, uint64_t instructions) {
  const Launch& config = *grid.config;
  if (config.cancel && config.cancel->load(std::memory_order_relaxed)) return usage_error("cancelled");
  if (grid.deadline_ns && monotonic_ns() > grid.deadline_ns)
    return io_error(fmt::format("still running after {} s", config.timeout_s));
  if (config.instruction_limit && instructions > config.instruction_limit)
    return invalid_input(fmt::format("still running after {} warp instructions", config.instruction_limit));
  return {};
}

Fault::Kind kind_of(const Status& status) {
  switch (status.code()) {
    case ErrorCode::kUsage: return Fault::Kind::kCancelled;
    case ErrorCode::kIo: return Fault::Kind::kTimeout;
    default: return Fault::Kind::kInstructionLimit;
  }
}

}  // namespace

bool within_limits(Warp& w) {
  Cluster& cluster = *w.cta->cluster;
  Grid& grid = *cluster.grid;
  if (cluster.linear > grid.last_cluster.load(std::memory_order_relaxed)) {
    w.faulted = true;
    return false;
  }
  Worker& worker = *w.worker;
  const uint64_t total = grid.instructions.fetch_add(worker.instructions - worker.reported, std::memory_order_relaxed) +
                         worker.instructions - worker.reported;
  worker.reported = worker.instructions;
  const Status status = limit_reached(grid, total);
  if (status.ok()) return true;
  const Split& s = w.splits[w.current];
  const Block& b = w.program->blocks[s.block];
  w.mask = s.mask ? s.mask : 1;
  const Op& op = w.program->ops[b.end_op != kNoBlock ? b.end_op : b.first];
  grid.last_cluster.store(0, std::memory_order_relaxed);
  raise(w, op, kind_of(status), static_cast<uint32_t>(__builtin_ctz(w.mask)), 0, status.message());
  return false;
}

}  // namespace warplens::simt::ptx_machine
