#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

/// Rows of a block that a warp goes over, each of which begins in a sector of its own.
double rows_of_warp(const KernelReport& report) {
  const uint32_t width = report.block[0];
  if (width % 32 == 0 || static_cast<int>(width) == report.work.needs.threads) return 1;
  return (32 + width - 1) / width + 1;
}

/// Blocks of whole warps begin where sectors do, and a warp is in one row: no request reaches into a sector more than
/// its bytes need.
void align(const KernelReport& report, double lanes, Work* w) {
  const double rows = rows_of_warp(report);
  double loads = 0, stores = 0, requests = 0;
  for (const LineCounts& line : report.lines) {
    const auto beyond = [&](const simt::InstructionCounts& access) {
      const auto more = static_cast<double>(access.sectors - std::min(access.sectors, access.ideal_sectors));
      requests += static_cast<double>(access.requests);
      return more <= rows * static_cast<double>(access.requests) ? more : 0;
    };
    loads += beyond(line.global_load);
    stores += beyond(line.global_store);
  }
  take_loads(std::min(loads, w->load_sectors), w);
  w->store_sectors -= std::min(stores, w->store_sectors);
  w->partial_sectors -= std::min(2 * stores, w->partial_sectors);  // both halves of what was whole
  w->cache_lines *= lanes;
  if (rows > 1) {
    const double whole = std::max((w->load_sectors + w->store_sectors) / 4, requests * lanes);
    w->cache_lines = std::min(w->cache_lines, whole);
  }
}

}  // namespace

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
  align(report, lanes, &w);
  w.blocks /= times;
  w.needs.threads = better;
  for (int64_t* bytes : {&w.needs.static_shared_bytes, &w.needs.dynamic_shared_bytes})
    *bytes = static_cast<int64_t>(static_cast<double>(*bytes) * times);
  Defect finding{{.id = "partial-warps"}};
  finding.promise(report, w);
  finding.title = "the last warp of every block is not full";
  if (threads < 32) {
    finding.detail = fmt::format("{} threads per block make one warp with {} of 32 lanes", threads, rest);
    finding.advice = "use 32 threads per block";
  } else {
    finding.detail =
        fmt::format("{} threads per block make {} warps; the last has {} of 32 lanes", threads, warps, rest);
    finding.advice = fmt::format("use {} or {} threads per block", threads / 32 * 32, warps * 32);
  }
  if (threads < kUsual) finding.advice += fmt::format(", better {}, because launching small blocks takes time", kUsual);
  finding.evidence = {{"threads_per_block", static_cast<double>(threads)}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
