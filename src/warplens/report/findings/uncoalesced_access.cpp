#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

/// Sectors of the lines that touch more of them than their bytes need.
struct Excess {
  double loads = 0, stores = 0;  // beyond the fewest possible
  double stored = 0;             // sectors, of the lines' stores
  double sectors = 0, ideal = 0, load_bytes = 0;
  double load_sectors = 0, load_requests = 0;  // of those lines, where lanes read different words
  double fewest_lines = 0;                     // of 128 bytes, that all requests need for their bytes
  Waits waits, ideal_waits;                    // of loads
  std::vector<std::string> where;
  explicit Excess(const KernelReport& report) {
    for (const LineCounts& line : report.lines) {
      load_bytes += static_cast<double>(line.global_load.bytes);
      const auto requests = static_cast<double>(line.global_load.requests);
      if (requests > 0) {
        waits.add(waits_for(lines_of(line.global_load.sectors, requests)), requests);
        ideal_waits.add(waits_for(lines_of(line.global_load.ideal_sectors, requests)), requests);
      }
      for (const auto* access : {&line.global_load, &line.global_store}) {
        fewest_lines += std::max(static_cast<double>(access->requests), static_cast<double>(access->ideal_sectors) / 4);
        add(line, *access);
      }
    }
  }

 private:
  static double lines_of(uint64_t sectors, double requests) { return static_cast<double>(sectors) / 4 / requests; }
  void add(const LineCounts& line, const simt::InstructionCounts& access) {
    const auto actual = static_cast<double>(access.sectors), fewest = static_cast<double>(access.ideal_sectors);
    // Data that begin anywhere reach into a sector more a request.
    if (actual <= fewest + static_cast<double>(access.requests)) return;
    (&access == &line.global_load ? loads : stores) += actual - fewest;
    if (&access == &line.global_store) stored += actual;
    sectors += actual;
    ideal += fewest;
    if (&access == &line.global_load) {
      load_sectors += actual - static_cast<double>(line.broadcast.sectors);
      load_requests += static_cast<double>(access.requests - line.broadcast.requests);
    }
    if (const std::string at = place(line); !at.empty() && (where.empty() || where.back() != at)) where.push_back(at);
  }
};

Work coalesced(const KernelReport& report, const Excess& excess) {
  Work w = report.work;
  if (excess.loads + excess.stores <= 0) return w;
  const double waited = waiting_share(w);
  take_loads(excess.loads, &w);
  // As many loads wait as before, each for fewer lines.
  const double left = waiting_share(w), fewer = left > 0 ? std::min(1.0, waited / left) : 1;
  Waits after;
  after.add(excess.ideal_waits, fewer);
  set_block_cycles(w.block_cycles_l1, after, excess.waits, &w);
  w.store_sectors -= excess.stores;
  w.cache_lines = std::min(w.cache_lines, excess.fewest_lines);
  if (excess.stores > 0) {
    w.partial_sectors = std::max(0.0, w.partial_sectors - excess.stored);
    w.merged_sectors = w.completed_sectors = 0;
  }
  w.read_sectors = std::min(w.read_sectors, excess.load_bytes / 32);
  w.lone_sectors = std::min(w.lone_sectors, std::max(0.0, excess.load_bytes / 32 - w.read_sectors));
  if (w.stored_bytes > 0) w.written_sectors = std::min(w.written_sectors, w.stored_bytes / 32);
  w.lost_sectors = std::max(0.0, w.lost_sectors - excess.loads);
  return w;
}

/// The launch with a warp for each row that a thread walks through element by element: as many more warps, each with as
/// many fewer turns. As it is where threads do not walk.
Work by_warps(const KernelReport& report, const Excess& excess, Work w) {
  constexpr double kApart = 24, kUsed = 0.9;  // sectors of a request; of the bytes of sectors
  const double lanes = std::min(32.0, excess.load_requests / warps_of(report.work));
  const bool walks = lanes >= 32 && excess.load_sectors >= kApart * excess.load_requests &&
                     excess.load_bytes >= kUsed * 32 * report.work.read_sectors;
  if (!walks) return w;
  w.blocks *= lanes;
  scale_block_cycles(1 / lanes, &w);
  return w;
}

}  // namespace

Work coalesced(const KernelReport& report) { return coalesced(report, Excess(report)); }

// Requests that touch more sectors than their bytes need.
void find_uncoalesced_access(const KernelReport& report, std::vector<Defect>* findings) {
  const Excess excess(report);
  if (excess.loads + excess.stores <= 0) return;
  Defect finding{{.id = "uncoalesced-access"}};
  const Work together = coalesced(report, excess), by_rows = by_warps(report, excess, together);
  const Work mended = saving(report, by_rows) > saving(report, together) ? by_rows : together;
  finding.promise(report, mended);
  finding.where = excess.where;
  finding.title = "neighbouring threads access addresses that are far apart";
  finding.detail =
      fmt::format("{:.0f} sectors of 32 bytes move; {:.0f} are enough for the data", excess.sectors, excess.ideal);
  finding.advice =
      "make consecutive threads access consecutive elements: use structures of arrays, put the fastest index along "
      "threadIdx.x, or transpose a tile in shared memory";
  finding.evidence = {{"sectors", excess.sectors}, {"ideal_sectors", excess.ideal}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
