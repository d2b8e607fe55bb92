#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/shapes/shape_rules.h"

namespace warplens::report {
namespace {

/// With the results shared out among threads: each sums a few, warps and blocks sum these sums, and all go on from
/// them.
Work in_parallel(const KernelReport& report, const Shape& scan) {
  constexpr double kThreads = 256, kOwn = 8;  // of a block; results of a thread
  constexpr double kPerResult = 5;  // instructions: loads and stores of four, two additions, its part of the exchange
  constexpr double kSteps = 2;      // waits for memory, one after the other: the results, and the sum before them
  const double results = static_cast<double>(scan.terms);
  const double share = std::min<double>(1, static_cast<double>(scan.warp_instructions) / report.work.instructions);
  Work w = with_share(1 - share, report.work);
  w.instructions += kPerResult * results / 32;
  w.alu += results / 32;
  w.fma += 2 * results / 32;
  w.memory += results / 2 / 32;
  w.blocks = std::max<double>(1, results / (kThreads * kOwn));
  w.needs.threads = static_cast<int>(kThreads);
  w.load_sectors = std::max(w.load_sectors, w.read_sectors);
  w.store_sectors = std::max(w.written_sectors, results / 8);
  w.partial_sectors = w.merged_sectors = 0;
  w.cache_lines = (w.load_sectors + w.store_sectors) / 4;
  w.l1_hit_rate = w.l1_late_rate = 0;
  const Waits once = waits_for(kOwn / 4);
  w.block_cycles_l1 = 4 * w.instructions / warps_of(w);
  w.block_cycles_l2 = w.block_cycles_l1 + kSteps * once.l2;
  w.block_cycles_dram = w.block_cycles_l1 + kSteps * once.dram;
  return w;
}

}  // namespace

// Running sums and recurrences that a thread walks through: a scan shares them out.
void find_serial_scan(const KernelReport& report, const Shapes& shapes, std::vector<Defect>* findings) {
  constexpr double kLong = 32;  // results of a thread: a warp of them
  const Shape scan = shape_of(shapes, ShapeKind::kSerialScan);
  if (scan.terms == 0 || scan.length < kLong) return;
  Defect finding{{.id = "serial-scan"}};
  finding.promise(report, in_parallel(report, scan));
  // More threads help as far as warp slots are empty: full slots bring 1 / filled of the throughput at most.
  const double filled = std::min<double>(1, report.time.waves) * report.time.occupancy.fraction();
  finding.saving_fraction = std::min(*finding.saving_fraction, 1 - filled);
  finding.title = "threads compute a running result one element after another";
  finding.detail = fmt::format("{} results, {:.0f} in each thread: a thread needs each result to compute its next one",
                               format_count(static_cast<double>(scan.terms)), scan.length);
  finding.advice =
      "use a parallel scan: cub::DeviceScan or cub::BlockScan, or tl.associative_scan. Sums, products, largest values "
      "and recurrences a * y + x can be combined in any grouping";
  finding.evidence = {{"results", static_cast<double>(scan.terms)}, {"results_of_a_thread", scan.length}};
  if (const std::string at = place(scan); !at.empty()) finding.where.push_back(at);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
