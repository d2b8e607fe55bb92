#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

/// The share of a block's threads that have something to do, where whole warps have nothing: none of their lanes loads
/// or stores at any line.
double busy_share(const KernelReport& report) {
  constexpr double kFull = 16;  // lanes of the warps that do take part
  double most = 0;
  for (const LineCounts& line : report.lines) {
    if (line.barriers || line.shared_load.requests || line.shared_store.requests) return 1;
    for (const auto* access : {&line.global_load, &line.global_store, &line.atomics}) {
      const auto lanes = static_cast<double>(access->predicated_on_threads);
      if (lanes < kFull * static_cast<double>(access->requests)) return 1;
      most = std::max(most, lanes);
    }
  }
  const double share = most / (report.work.blocks * report.work.needs.threads);
  const double idle_warps = (1 - share) * report.work.needs.threads / 32;  // of each block
  return most > 0 && idle_warps >= 1 ? share : 1;
}

}  // namespace

Work in_larger_blocks(const KernelReport& report) {
  constexpr double kThreads = 256;
  const double share = busy_share(report);
  Work w = report.work;
  const double times = std::floor(kThreads / std::max(share * w.needs.threads, 1.0));
  if (times < 2) return w;
  w.blocks = std::ceil(w.blocks / times);
  w.needs.threads = static_cast<int>(std::ceil(share * w.needs.threads * times));
  for (int64_t* bytes : {&w.needs.static_shared_bytes, &w.needs.dynamic_shared_bytes})
    *bytes = static_cast<int64_t>(static_cast<double>(*bytes) * times);
  return w;
}

// Many blocks of few threads: starting them takes longer than what they do.
void find_small_blocks(const KernelReport& report, std::vector<Defect>* findings) {
  if (report.time.waves <= 1) return;
  Defect finding{{.id = "small-blocks"}};
  finding.promise(report, in_larger_blocks(report));
  finding.title = "blocks are so small that their launch takes longer than their work";
  finding.detail =
      fmt::format("{} blocks of {} threads, {:.0f} instructions per warp", format_count(report.work.blocks),
                  report.work.needs.threads, report.work.instructions / warps_of(report.work));
  finding.advice = "launch the same threads in blocks of 128 to 512, or give each thread more work";
  if (const double share = busy_share(report); share < 1) {
    finding.title = "most threads of a block have nothing to do";
    finding.detail = fmt::format("a block has {} threads, and {:.0f} of them load or store", report.work.needs.threads,
                                 share * report.work.needs.threads);
    finding.advice = "process several rows in a block, or use as many threads as a row has elements";
  }
  finding.evidence = {{"blocks", report.work.blocks}, {"threads", static_cast<double>(report.work.needs.threads)}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
