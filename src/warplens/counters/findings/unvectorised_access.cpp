#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// Narrow loads of neighbouring elements, where instructions rather than bytes cost the time.
void find_unvectorised_access(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kWorthSaying = 0.05;
  double requests = 0;
  Finding finding{.id = "unvectorised-access"};
  for (const LineCounts& line : report.lines) {
    for (const auto* access : {&line.global_load, &line.global_store}) {
      const bool narrow = access->requests && access->bytes <= 4 * access->predicated_on_threads;
      const bool together = access->sectors <= access->ideal_sectors + access->requests && access->bytes > 64 * access->requests;
      if (!narrow || !together) continue;
      requests += static_cast<double>(access->requests);
      if (const std::string at = place(line); !at.empty() && finding.where.size() < 3 && (finding.where.empty() || finding.where.back() != at)) finding.where.push_back(at);
    }
  }
  if (requests < 0.1 * report.work.instructions) return;
  kernel::Work w = report.work;
  w.memory -= std::min(w.memory, 0.75 * requests);
  w.instructions -= std::min(w.instructions, 0.75 * requests);
  const double saved = saving(report, w);
  if (saved < kWorthSaying) return;
  finding.saving_fraction = saved;
  finding.title = "neighbouring elements are loaded or stored one by one";
  finding.detail = fmt::format("{:.0f} requests of 4 bytes a thread or less", requests);
  finding.advice = "let a thread take four neighbours at once (float4), with addresses aligned to 16 bytes";
  finding.evidence = {{"requests", requests}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
