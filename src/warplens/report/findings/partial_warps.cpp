#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Blocks whose size is not a multiple of the warp's: idle lanes, and in small blocks also more blocks than needed.
void find_partial_warps(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr int kUsual = 256;
  const int threads = report.work.needs.threads, rest = threads % 32;
  if (rest == 0) return;
  const int warps = (threads + 31) / 32, better = threads < kUsual ? kUsual : warps * 32;
  const double times = static_cast<double>(better) / threads;  // threads of a new block for one of the old
  const double lanes = threads / (32.0 * warps);
  Work w = report.work;
  scale_instructions(lanes, &w);
  w.cache_lines *= lanes;
  w.blocks /= times;
  w.needs.threads = better;
  for (int64_t* bytes : {&w.needs.static_shared_bytes, &w.needs.dynamic_shared_bytes})
    *bytes = static_cast<int64_t>(static_cast<double>(*bytes) * times);
  Defect finding{{.id = "partial-warps"}};
  finding.promise(report, w);
  finding.title = "the last warp of every block is not full";
  if (threads < 32) {
    finding.detail = fmt::format("{} threads a block are one warp with {} of 32 lanes", threads, rest);
    finding.advice = "use 32 threads a block";
  } else {
    finding.detail = fmt::format("{} threads a block are {} warps, the last with {} of 32 lanes", threads, warps, rest);
    finding.advice = fmt::format("use {} or {} threads a block", threads / 32 * 32, warps * 32);
  }
  if (threads < kUsual) finding.advice += fmt::format(", better {}: small blocks cost time to launch", kUsual);
  finding.evidence = {{"threads_per_block", static_cast<double>(threads)}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
