#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Shared-memory accesses whose lanes fall on the same bank.
void find_bank_conflicts(const KernelReport& report, std::vector<Defect>* findings) {
  Defect finding{{.id = "bank-conflict"}};
  double wavefronts = 0, ideal = 0;
  for (const LineCounts& line : report.lines) {
    for (const auto* access : {&line.shared_load, &line.shared_store}) {
      const auto actual = static_cast<double>(access->wavefronts),
                 fewest = static_cast<double>(access->ideal_wavefronts);
      wavefronts += actual;
      ideal += fewest;
      if (actual <= fewest) continue;
      if (const std::string at = place(line); !at.empty() && (finding.where.empty() || finding.where.back() != at))
        finding.where.push_back(at);
    }
  }
  if (wavefronts <= ideal) return;
  Work w = report.work;
  w.shared_wavefronts -= wavefronts - ideal;
  w.shared_conflicts = 0;
  spare_block_cycles((wavefronts - ideal) / warps_of(w), &w);  // a warp waits for its passes one by one
  finding.promise(report, w);
  finding.title = "lanes of a warp access different words of the same shared-memory bank";
  finding.detail =
      fmt::format("{} passes over shared memory; {} are enough", format_count(wavefronts), format_count(ideal));
  finding.advice = "pad the rows of the array by one element ([32][33]) or permute its columns (swizzle)";
  finding.evidence = {{"wavefronts", wavefronts}, {"ideal_wavefronts", ideal}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
