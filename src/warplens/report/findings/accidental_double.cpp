#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Double precision in a kernel whose data are floats: a constant without its f, or a function of double.
void find_accidental_double(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kSinglePart = 0.42;  // instructions that single precision takes for what double precision took
  double doubles = 0, conversions = 0, on_lines = 0;
  Finding finding{.id = "accidental-double"};
  for (const LineCounts& line : report.lines) {
    if (line.fp64 == 0 && line.conversions64 == 0) continue;
    doubles += static_cast<double>(line.fp64);
    conversions += static_cast<double>(line.conversions64);
    on_lines += static_cast<double>(line.all.executions);
    if (const std::string at = place(line); !at.empty() && finding.where.size() < 3) finding.where.push_back(at);
  }
  // Doubles that come from conversions of floats, not from memory, are an accident.
  if (doubles == 0 || conversions < 0.005 * doubles) return;
  Work w = report.work;
  const double removed = (1 - kSinglePart) * std::max(on_lines, 0.0);
  const double factor = w.instructions > 0 ? std::max(0.05, 1 - removed / w.instructions) : 1;
  w.fma += 0.3 * w.fp64;
  w.fp64 = 0;
  w.special -= std::min(0.9 * w.special, conversions / 32);  // they go to the same pipe
  for (double* part : {&w.instructions, &w.alu, &w.imad, &w.block_cycles_l1, &w.block_cycles_l2, &w.block_cycles_dram})
    *part *= factor;
  finding.saving_fraction = saving(report, w);
  finding.title = "floats are computed with in double precision";
  finding.detail = fmt::format(
      "{:.0f} threads' double-precision operations, {:.0f} conversions between float and double", doubles, conversions);
  finding.advice = "write constants with an f (0.5f) and call the float functions (tanhf, expf, sqrtf)";
  finding.evidence = {{"fp64_thread_instructions", doubles}, {"conversions", conversions}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
