#include "warplens/bench/suite/emulated_counts.h"

#include "warplens/base/text.h"

namespace warplens::bench {

Status add_counts(const launch::Source&, const launch::Outcome& outcome, Measurement& out) {
  const kernel::LaunchCounts& counts = outcome.emulated->counts;
  out.metrics["launches"] += 1;
  out.metrics["smsp__inst_executed.sum"] += static_cast<double>(counts.warp_instructions);
  out.metrics["smsp__thread_inst_executed_pred_on.sum"] += static_cast<double>(counts.thread_instructions);
  return {};
}

}  // namespace warplens::bench
