#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

/// Steps of a block in which few lanes of every warp take part, where a few warps could take part with all of theirs.
struct SpreadLanes {
  double requests = 0, fewest = 0;  // of the lines where that is so
  std::vector<std::string> where;
  explicit SpreadLanes(const KernelReport& report) {
    constexpr double kTurns = 3, kLanes = 10;  // requests a warp; lanes of each
    const double warps = warps_of(report.work);
    for (const LineCounts& line : report.lines) {
      for (const auto* access : {&line.shared_load, &line.shared_store, &line.global_load, &line.global_store}) {
        const auto made = static_cast<double>(access->requests),
                   lanes = static_cast<double>(access->predicated_on_threads);
        if (made < kTurns * warps || lanes >= kLanes * made || lanes <= made) continue;
        requests += made;
        fewest += lanes / 32;
        if (const std::string at = place(line); !at.empty() && (where.empty() || where.back() != at))
          where.push_back(at);
      }
    }
  }
};

/// Loops of loads in which one thread of a warp takes part and the others wait, as `if (threadIdx.x == 0)` makes them.
struct SingleLanes {
  double executions = 0, requests = 0;  // of those loops
  double all_executions = 0, all_requests = 0;
  std::vector<std::string> where;
  explicit SingleLanes(const KernelReport& report) {
    constexpr double kTurns = 8;  // loads a warp: fewer are no loop
    for (const LineCounts& line : report.lines) {
      const auto loads = static_cast<double>(line.global_load.requests);
      const auto executed = static_cast<double>(line.all.executions);
      all_executions += executed;
      all_requests += loads;
      if (loads < kTurns * warps_of(report.work) || line.global_load.predicated_on_threads > line.global_load.requests)
        continue;
      executions += (32 * executed - static_cast<double>(line.all.active_threads)) / 31;  // others have all lanes
      requests += loads;
      if (const std::string at = place(line); !at.empty()) where.push_back(at);
    }
  }
};

/// The launch whose single threads share their loops with all threads of their blocks.
Work shared_out(const KernelReport& report, const SingleLanes& single) {
  Work w = report.work;
  const double threads = w.needs.threads,
               others = (single.all_executions - single.executions) / std::ceil(threads / 32);
  scale_instructions(1 - single.executions / single.all_executions * 31 / 32, &w);
  w.cache_lines *= 1 - single.requests / single.all_requests * 31 / 32;
  scale_block_cycles(1 - single.executions / (single.executions + others) * (1 - 1 / threads), &w);
  return w;
}

/// True when it said so.
bool find_single_lanes(const KernelReport& report, std::vector<Defect>* findings) {
  if (report.measured || report.waits_for_others || report.work.needs.threads < 32) return false;
  const SingleLanes single(report);
  if (single.requests <= 0) return false;
  Defect finding{{.id = "divergence"}};
  finding.promise(report, shared_out(report, single));
  finding.title = "one thread works while the others wait";
  finding.detail = fmt::format("{} of {} requests to global memory load the data of a single thread",
                               format_count(single.requests), format_count(single.all_requests));
  finding.advice =
      "share the loop: let each thread of the block take every n-th element, then combine the partial results with "
      "warp shuffles and shared memory";
  finding.evidence = {{"single_thread_requests", single.requests}, {"requests", single.all_requests}};
  finding.where = single.where;
  say(std::move(finding), findings);
  return true;
}

bool in_steps(const KernelReport& report) {
  constexpr double kAgain = 3;  // barriers per warp: the steps of a tree
  double barriers = 0;
  for (const LineCounts& line : report.lines) barriers += static_cast<double>(line.barriers);
  return barriers >= kAgain * warps_of(report.work);
}

/// The launch with as many threads as have something to load, where most lanes of every warp have nothing.
Work without_idle_lanes(const KernelReport& report, double lanes) {
  constexpr double kBesides = 1.5;  // steps, as of a sum over lanes, are fewer but remain
  Work w = report.work;
  const double kept = std::min(1.0, kBesides * lanes / 32);
  scale_instructions(kept, &w);
  w.shared_wavefronts *= kept;
  w.cache_lines *= kept;
  w.partial_sectors *= kept;
  w.blocks = std::max(1.0, w.blocks * kept);
  return w;
}

/// Lanes of a warp that take part in loads from global memory, on average.
double lanes_that_load(const KernelReport& report) {
  double lanes = 0, requests = 0;
  for (const LineCounts& line : report.lines) {
    lanes += static_cast<double>(line.global_load.predicated_on_threads);
    requests += static_cast<double>(line.global_load.requests);
  }
  return requests > 0 ? lanes / requests : 32;
}

/// Why few lanes are active.
enum class Cause : uint8_t { kBranches, kIdleLanes, kUnseen };

/// Counters of hardware are sums of the launch. They tell whether warps branched apart, if branches were counted; which
/// lanes load they do not tell.
Cause cause_of(const KernelReport& report, const simt::InstructionCounts& all) {
  constexpr double kIdle = 10;  // of 32 lanes that load
  if (report.measured) {
    const Metric* branches = report.metric("smsp__sass_branch_targets_threads_divergent.sum");
    return branches != nullptr && 2 * branches->value >= warps_of(report.work) ? Cause::kBranches : Cause::kUnseen;
  }
  const bool few_branches = all.divergent_branches * 4 < all.executions / 8;
  const bool idle = few_branches && lanes_that_load(report) <= kIdle && report.work.needs.threads % 32 == 0;
  return idle ? Cause::kIdleLanes : Cause::kBranches;
}

struct Words {
  const char *title, *advice;
};

Words words_of(Cause cause) {
  switch (cause) {
    case Cause::kIdleLanes:
      return {"most lanes of each warp have nothing to load",
              "use fewer lanes (4, 8 or 16) for a row, a list or an element, so each warp handles several at once"};
    case Cause::kUnseen:
      return {"few threads of each warp are active",
              "the counters do not show why: if threads take different branches, group the work by branch; if lanes "
              "have no work, "
              "give each warp several rows or elements"};
    case Cause::kBranches: break;
  }
  return {"threads of a warp take different branches",
          "make whole warps take one branch: sort or group the work by branch, or replace the branch with arithmetic"};
}

Work gathered(const KernelReport& report, const SpreadLanes& spread) {
  Work w = report.work;
  // What whole warps do not take part in is issued all the same, as small branches are predicated; the passes are
  // spared.
  const double spared = std::max(0.0, spread.requests - 2 * spread.fewest);  // a last step has a warp of its own
  w.shared_wavefronts -= std::min(spared, w.shared_wavefronts);
  return w;
}

/// True when it said so.
bool find_spread_lanes(const KernelReport& report, std::vector<Defect>* findings) {
  const SpreadLanes spread(report);
  if (spread.requests <= 0 || !in_steps(report)) return false;
  Defect finding{{.id = "divergence"}};
  finding.promise(report, gathered(report, spread));
  finding.title = "few lanes of each warp take part in each step";
  finding.detail =
      fmt::format("{} memory requests with {:.1f} active lanes on average; {} requests of whole warps are enough",
                  format_count(spread.requests), 32 * spread.fewest / spread.requests, format_count(spread.fewest));
  finding.advice =
      "use the first threads of the block (thread < stride, and halve the stride in each step) instead of every "
      "second, fourth, ... thread";
  finding.evidence = {{"requests", spread.requests}, {"fewest_requests", spread.fewest}};
  finding.where = spread.where;
  say(std::move(finding), findings);
  return true;
}

}  // namespace

Work with_gathered_lanes(const KernelReport& report) {
  const SpreadLanes spread(report);
  return spread.requests > 0 && in_steps(report) ? gathered(report, spread) : report.work;
}

// Warps whose lanes take different ways, so that each way is walked with the others idle.
void find_divergence(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kFewThreads = 24;  // of 32, active at an instruction on average
  simt::InstructionCounts all;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    all.add(line.all);
    const std::string at = place(line);
    if (at.empty() || line.all.executions == 0) continue;
    // Lanes that end early leave no branch that diverged.
    const uint64_t idle = 32 * line.all.executions - line.all.active_threads;
    if (line.all.divergent_branches) places.push_back({line.all.divergent_branches + (uint64_t{1} << 62), at});
    else if (idle > 16 * line.all.executions) places.push_back({idle, at});
  }
  if (all.executions == 0 || find_spread_lanes(report, findings)) return;
  if (find_single_lanes(report, findings)) return;
  // A last warp that is not full is no divergence.
  const int threads = report.work.needs.threads, warps = (threads + 31) / 32;
  const double full = static_cast<double>(threads) / warps;
  const double active = static_cast<double>(all.active_threads) / static_cast<double>(all.executions);
  if (active >= std::min(kFewThreads, 0.75 * full)) return;
  Work w = report.work;
  const double factor = active / full;
  for (double* part :
       {&w.instructions, &w.alu, &w.fma, &w.imad, &w.fp64, &w.half, &w.special, &w.memory, &w.shared_wavefronts,
        &w.shared_conflicts, &w.block_cycles_l1, &w.block_cycles_l2, &w.block_cycles_dram}) {
    *part *= factor;
  }
  const Cause cause = cause_of(report, all);
  if (cause == Cause::kIdleLanes) w = without_idle_lanes(report, lanes_that_load(report));
  std::sort(places.rbegin(), places.rend());
  Defect finding{{.id = "divergence"}};
  finding.promise(report, w);
  finding.title = words_of(cause).title;
  finding.detail = fmt::format("on average, {:.1f} of {:.0f} threads of a warp are active", active, full);
  finding.advice = words_of(cause).advice;
  finding.evidence = {{"active_threads_per_instruction", active},
                      {"divergent_branches", static_cast<double>(all.divergent_branches)}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
