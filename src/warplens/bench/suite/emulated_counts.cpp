#include "warplens/bench/suite/emulated_counts.h"

#include <filesystem>

#include "warplens/base/text.h"

namespace warplens::bench {
namespace {

void add_line(const report::LineCounts& line, Measurement& out) {
  if (line.line == 0) return;
  const std::string place = fmt::format("@{}:{}", std::filesystem::path(line.file).filename().string(), line.line);
  const auto add = [&](const char* metric, uint64_t value) {
    if (value > 0) out.metrics[metric + place] += static_cast<double>(value);
  };
  add("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", line.global_load.sectors);
  add("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", line.global_store.sectors);
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", line.shared_load.wavefronts);
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", line.shared_store.wavefronts);
}

}  // namespace

void add_counts(const launch::Outcome& outcome, Measurement& out) {
  if (!outcome.counted) {
    out.metrics["smsp__inst_executed.sum"] += static_cast<double>(outcome.emulated->counts.warp_instructions);
    return;
  }
  const report::KernelReport& report = *outcome.counted;
  // Sums add up over launches; averages and shares would not.
  for (const report::Metric& metric : report.metrics) {
    if (metric.name.ends_with(".sum") && metric.fidelity != report::Fidelity::kEstimated)
      out.metrics[metric.name] += metric.value;
  }
  for (const report::LineCounts& line : report.lines) add_line(line, out);
  // Caches are flushed before the first launch of a sample; what later ones read, it may have left in L2.
  out.bound_ns += out.bound_ns == 0 && out.regime == "cold" ? report.time.cold_bound_ns : report.time.bound_ns;
  out.estimate_ns += report.time.ns;
}

}  // namespace warplens::bench
