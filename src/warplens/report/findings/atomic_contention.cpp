#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

/// A grid that strides over the data: as many blocks as the GPU holds, each doing as much more.
void stride(const KernelReport& report, Work* work) {
  constexpr double kMost = 4;  // turns, whose loads are all under way at once
  const double held = static_cast<double>(report.device->sms) * std::max(report.time.occupancy.blocks, 1);
  const double turns = std::clamp(work->blocks / held, 1.0, kMost);
  work->blocks /= turns;
  set_block_cycles(work->block_cycles_l1 * turns, 1, work);
}

/// Atomics on shared memory: what their instructions take, those that try again included.
struct SharedAtomics {
  double requests = 0, instructions = 0, passes = 0, divergent = 0;
  std::vector<std::string> where;
  explicit SharedAtomics(const KernelReport& report) {
    for (const LineCounts& line : report.lines) {
      if (line.shared_atomics.requests == 0) continue;
      requests += static_cast<double>(line.shared_atomics.requests);
      instructions += static_cast<double>(line.all.executions);
      passes += static_cast<double>(line.shared_atomics.wavefronts + line.shared_load.wavefronts);
      divergent += static_cast<double>(line.all.divergent_branches);
      if (const std::string at = place(line); !at.empty()) where.push_back(at);
    }
  }
};

/// Lanes of a warp that add to one place of shared memory one after another, each trying again until it was first.
void find_shared_contention(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kInstructions = 10;  // of a sum over a warp by shuffles
  const SharedAtomics shared(report);
  const Work& now = report.work;
  // Lanes that have to try again part at a branch; integers need none.
  if (shared.requests <= 0 || 2 * shared.divergent < shared.requests) return;
  Work w = now;
  const double left = kInstructions * warps_of(now), before = std::max(now.instructions, 1.0);
  const double factor = std::min(1.0, (std::max(0.0, before - shared.instructions) + left) / before);
  scale_instructions(factor, &w);
  w.shared_wavefronts -= std::min(w.shared_wavefronts, shared.passes);
  w.shared_conflicts = 0;
  scale_block_cycles(factor, &w);
  Defect finding{{.id = "atomic-contention"}};
  finding.promise(report, w);
  finding.title = "atomics of a block's threads contend for the same addresses of shared memory";
  finding.detail = fmt::format("{} atomic instructions on shared memory take {} passes", format_count(shared.requests),
                               format_count(shared.passes));
  finding.advice =
      "add up in a register of each thread first, then combine a warp's sums by shuffles; for a histogram, keep "
      "several copies; an atomic on a float in shared memory is a loop that retries";
  finding.evidence = {{"shared_atomics", shared.requests}, {"passes", shared.passes}};
  finding.where = shared.where;
  say(std::move(finding), findings);
}

/// Atomics on global memory that queue up at a slice of the L2 cache.
void find_global_contention(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kStriding = 2;           // waves
  constexpr double kRun = 32, kPlaces = 4;  // floats of 128 bytes, and of these in 512
  const Work& now = report.work;
  if (now.hottest_atomic_cycles <= 0) return;
  // Combined already: a block adds once, or, of a grid that strides over its data, a block to every address or a warp.
  if (now.atomic_lanes <= now.blocks) return;
  const bool of_warps = now.atomic_lanes <= warps_of(now);
  const double addresses = 8 * now.written_sectors;  // at most
  const double held = static_cast<double>(report.device->sms) * std::max(report.time.occupancy.blocks, 1);
  if (of_warps && report.time.waves <= kStriding) return;
  Work w = now;
  // A block adds once to each address that it reaches, at most as many as its atomics are.
  const double reached = std::min<double>(1, now.atomic_lanes / now.blocks / std::max<double>(addresses, 1));
  const double adds = std::max<double>(1, std::min(now.blocks, held) * reached);
  const double runs = std::clamp<double>(addresses / kRun, 1, kPlaces);  // of floats in its 512 bytes
  w.hottest_atomic_cycles =
      std::min(now.hottest_atomic_cycles, (of_warps ? model::kPacketCycles : runs * model::kFloatRunCycles) * adds);
  w.atomic_sectors *= w.hottest_atomic_cycles / now.hottest_atomic_cycles;
  w.shared_wavefronts += of_warps ? 0 : now.atomic_lanes / 8;
  stride(report, &w);
  Defect finding{{.id = "atomic-contention"}};
  finding.promise(report, w);
  finding.title = "atomics of many threads contend for the same addresses";
  finding.detail =
      fmt::format("{} atomics of threads; the busiest 512 bytes keep a slice of the L2 cache busy for {} cycles",
                  format_count(now.atomic_lanes), format_count(now.hottest_atomic_cycles));
  finding.advice = "combine values in registers (warp shuffles) or shared memory first, and add once a block";
  finding.evidence = {{"atomic_threads", now.atomic_lanes}, {"cycles_of_the_busiest_slice", now.hottest_atomic_cycles}};
  for (const LineCounts& line : report.lines) {
    if (const std::string at = place(line); line.atomics.requests && !at.empty()) finding.where.push_back(at);
  }
  say(std::move(finding), findings);
}

}  // namespace

// Atomics that queue up on a few addresses.
void find_atomic_contention(const KernelReport& report, std::vector<Defect>* findings) {
  const size_t before = findings->size();
  find_global_contention(report, findings);
  if (findings->size() == before) find_shared_contention(report, findings);
}

}  // namespace warplens::report
