#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Requests that touch more sectors than their bytes need.
void find_uncoalesced_access(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kTolerated = 1.25;  // sectors over the fewest possible
  Finding finding{.id = "uncoalesced-access"};
  double load_excess = 0, store_excess = 0, sectors = 0, ideal = 0, load_bytes = 0;
  for (const LineCounts& line : report.lines) {
    load_bytes += static_cast<double>(line.global_load.bytes);
    for (const auto* access : {&line.global_load, &line.global_store}) {
      const auto actual = static_cast<double>(access->sectors), fewest = static_cast<double>(access->ideal_sectors);
      if (actual <= kTolerated * fewest || actual < 64) continue;
      (access == &line.global_load ? load_excess : store_excess) += actual - fewest;
      sectors += actual;
      ideal += fewest;
      if (const std::string at = place(line); !at.empty() && (finding.where.empty() || finding.where.back() != at))
        finding.where.push_back(at);
    }
  }
  if (load_excess + store_excess <= 0) return;
  Work w = report.work;
  const double before = w.load_sectors + w.store_sectors;
  take_loads(load_excess, &w);
  w.store_sectors -= store_excess;
  w.cache_lines *= (w.load_sectors + w.store_sectors) / before;
  if (store_excess > 0) {
    w.partial_sectors = std::max(0.0, w.partial_sectors - store_excess * 1.15);
    w.merged_sectors = 0;
  }
  w.read_sectors = std::min(w.read_sectors, load_bytes / 32);
  w.lone_sectors = std::min(w.lone_sectors, std::max(0.0, load_bytes / 32 - w.read_sectors));
  if (w.stored_bytes > 0) w.written_sectors = std::min(w.written_sectors, w.stored_bytes / 32);
  w.lost_sectors = std::max(0.0, w.lost_sectors - load_excess);
  const double saved = saving(report, w);
  if (saved < 0.02) return;
  finding.saving_fraction = saved;
  finding.title = "neighbouring threads read or write addresses that are far apart";
  finding.detail = fmt::format("{:.0f} sectors of 32 bytes move where {:.0f} would hold the data", sectors, ideal);
  finding.advice =
      "let consecutive threads touch consecutive elements: structures of arrays instead of arrays of structures, "
      "the fastest index along threadIdx.x, or a tile in shared memory to turn the data around";
  finding.evidence = {{"sectors", sectors}, {"ideal_sectors", ideal}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
