#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// Constants and other data that all threads of a warp read at once, one by one from global memory.
void find_broadcast_loads(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kOften = 0.1;  // of all instructions
  double requests = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    if (!is_broadcast(line.global_load)) continue;
    requests += static_cast<double>(line.global_load.requests);
    if (const std::string at = place(line); !at.empty()) places.push_back({line.global_load.requests, at});
  }
  if (report.work.instructions <= 0 || requests < kOften * report.work.instructions) return;
  std::sort(places.rbegin(), places.rend());
  Finding finding{.id = "broadcast-loads"};
  finding.title = "all threads of a warp read the same word of global memory";
  finding.detail = fmt::format("{:.0f} loads of one sector for a whole warp, {:.0f} % of all instructions", requests,
                               100 * requests / report.work.instructions);
  // No estimate: measured on an H200, such loads cost no more than operands in constant memory; wider ones cost less.
  finding.advice =
      "keep it in registers or shared memory, load several words at once (float4), or put it into __constant__ memory, "
      "which spares registers and load instructions";
  finding.evidence = {{"broadcast_requests", requests}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
