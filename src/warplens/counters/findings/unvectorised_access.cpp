#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// Narrow loads of neighbouring elements, where instructions rather than bytes cost the time.
void find_unvectorised_access(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kWorthSaying = 0.05;
  double requests = 0, times = 4;  // as many elements fit into 16 bytes
  Finding finding{.id = "unvectorised-access"};
  for (const LineCounts& line : report.lines) {
    for (const auto* access : {&line.global_load, &line.global_store}) {
      if (access->requests == 0 || is_broadcast(*access) || access->bytes > 4 * access->predicated_on_threads) continue;
      const double lane_bytes = static_cast<double>(access->bytes) /
                                static_cast<double>(std::max<uint64_t>(access->predicated_on_threads, 1));
      const bool full = access->predicated_on_threads > 16 * access->requests;
      const bool together =
          access->sectors <= access->ideal_sectors + access->requests && access->ideal_sectors * 32 >= access->bytes;
      if (!full || !together) continue;
      requests += static_cast<double>(access->requests);
      times = std::max(times, 16 / std::max(lane_bytes, 1.0));
      if (const std::string at = place(line);
          !at.empty() && finding.where.size() < 3 && (finding.where.empty() || finding.where.back() != at))
        finding.where.push_back(at);
    }
  }
  if (requests < 0.1 * report.work.instructions) return;
  // A thread that takes `times` elements computes one address for them; there are fewer threads and blocks.
  kernel::Work w = report.work;
  const double removed = (1 - 1 / times) * std::min(requests * (times > 4 ? 4 : 1), 0.9 * w.instructions);
  w.memory -= std::min(w.memory, (1 - 1 / times) * requests);
  w.instructions -= removed;
  if (times > 4) w.blocks = std::max(w.blocks / times, std::min(w.blocks, 2.0 * report.device->sms));
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
