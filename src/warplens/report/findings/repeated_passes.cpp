#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

/// Loads of several source lines, each of which goes through all of the data.
struct Passes {
  double bytes = 0, requests = 0;
  int lines = 0,
      once = 0;  // once: of these lines, those that read the data once, and not once for each of several blocks
  std::vector<std::string> where;
  explicit Passes(const KernelReport& report) {
    constexpr double kAll = 0.9, kAligned = 1.02;  // of the distinct bytes; sectors over the fewest
    const double distinct = 32 * report.work.read_sectors;
    for (const LineCounts& line : report.lines) {
      const simt::InstructionCounts& load = line.global_load;
      const auto here = static_cast<double>(load.bytes);
      // Windows that overlap lie anywhere; a thread's own elements lie as at first.
      if (load.requests == 0 || here < kAll * distinct || is_broadcast(load) ||
          static_cast<double>(load.sectors) > kAligned * static_cast<double>(load.ideal_sectors))
        continue;
      ++lines;
      once += here < 2 * distinct;
      bytes += here;
      requests += static_cast<double>(load.requests);
      if (const std::string at = place(line); !at.empty()) where.push_back(at);
    }
  }
};

/// With what a thread loads first kept in its registers, or in shared memory where there are too few of them.
Work in_one_pass(const KernelReport& report, double kept, double requests) {
  constexpr double kBesides = 6;     // instructions of a loop that go with a load
  constexpr double kTogether = 8;    // loads under way, once none waits for a loop of its own
  constexpr double kRegisters = 96;  // of a thread, at most
  Work w = report.work;
  const double gone = requests * (1 - kept), loads = w.load_sectors, before = std::max(w.instructions, 1.0);
  const double per_thread = 8 * w.read_sectors / std::max(1.0, w.blocks * w.needs.threads);
  w.load_sectors = std::max(w.read_sectors, loads * kept);
  w.cache_lines *= (w.load_sectors + w.store_sectors) / std::max(1.0, loads + w.store_sectors);
  w.lost_sectors = 0;
  w.l1_hit_rate = w.l1_late_rate = 0;
  w.memory -= std::min(w.memory, gone);
  w.instructions -= std::min(0.6 * w.instructions, kBesides * gone);
  for (double* part : {&w.alu, &w.imad, &w.branches}) *part *= w.instructions / before;
  set_block_cycles(w.block_cycles_l1 * w.instructions / before, kept / kTogether, &w);
  if (per_thread <= kRegisters) w.needs.registers += static_cast<int>(per_thread);
  else w.needs.dynamic_shared_bytes += static_cast<int64_t>(32 * w.read_sectors / std::max(1.0, w.blocks));
  return w;
}

}  // namespace

// Rows that a block goes through several times, for a mean, a variance, a largest value and then the result.
void find_repeated_passes(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kAgain = 0.7;   // of a warp's sectors, those that are new to it
  constexpr double kAtOnce = 0.6;  // of those that are not
  const Work& now = report.work;
  const Passes passes(report);
  const bool said = std::ranges::find(*findings, "redundant-loads", &Finding::id) != findings->end();
  if (said || passes.lines == 0 || exchanges_through_global(report)) return;
  // A warp that comes back to what it loaded itself, not to local memory, or the threads of a block one after another.
  // What it loads again at once L1 still has.
  const bool own = now.distinct_of_warps <= kAgain && now.local_sectors == 0 &&
                   now.l1_hit_rate < kAtOnce * (1 - now.distinct_of_warps);
  if (!own && (passes.once < 2 || now.barriers <= 0)) return;
  const double times = own ? 1 / now.distinct_of_warps : passes.bytes / (32 * now.read_sectors);
  const Work mended = in_one_pass(report, 1 / times, passes.requests);
  Defect finding{{.id = "redundant-loads"}};
  finding.promise(report, mended);
  finding.title = "the kernel reads the same data several times";
  finding.detail = fmt::format("all {} of data are read {:.1f} times", format_bytes(32 * now.read_sectors), times);
  finding.advice =
      "load once and keep the elements in registers or shared memory for later passes; or do all passes in one (sum "
      "and sum of squares, an online softmax)";
  finding.evidence = {{"passes", times}, {"distinct_bytes", 32 * now.read_sectors}};
  finding.where = passes.where;
  say(std::move(finding), findings);
}

}  // namespace warplens::report
