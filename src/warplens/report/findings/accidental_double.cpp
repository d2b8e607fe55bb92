#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Double precision in a kernel whose data are floats or integers: a constant without its f, or a function of double.
void find_accidental_double(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kSinglePart = 0.42;  // instructions that single precision takes for what double precision took
  constexpr double kBesides = 1.9;      // instructions that go with an operation in double precision, itself included
  double doubles = 0, conversions = 0, from_integers = 0, on_lines = 0;
  bool wide = false;  // what goes to memory and comes from it may be doubles
  Defect finding{{.id = "accidental-double"}};
  for (const LineCounts& line : report.lines) {
    wide |= line.load_bytes >= 8 || line.store_bytes >= 8;
    from_integers += static_cast<double>(line.integer_conversions64);
    if (line.fp64 == 0 && line.conversions64 == 0 && line.integer_conversions64 == 0) continue;
    doubles += static_cast<double>(line.fp64);
    conversions += static_cast<double>(line.conversions64);
    on_lines += static_cast<double>(line.all.executions);
    if (const std::string at = place(line); !at.empty() && finding.where.size() < 3) finding.where.push_back(at);
  }
  // Doubles that come from conversions, not from memory, are an accident.
  constexpr double kConverted = 0.005;
  const bool of_floats = conversions >= kConverted * doubles;
  if (doubles == 0 || (!of_floats && (wide || from_integers < kConverted * doubles))) return;
  conversions += from_integers;
  Work w = report.work;
  const double removed = std::min((1 - kSinglePart) * on_lines, kBesides * doubles / 32);
  const double factor = w.instructions > 0 ? std::max(0.05, 1 - removed / w.instructions) : 1;
  w.fma += 0.3 * w.fp64;
  w.fp64 = 0;
  w.special -= std::min(0.9 * w.special, conversions / 32);  // they go to the same pipe
  for (double* part : {&w.instructions, &w.alu, &w.imad, &w.block_cycles_l1, &w.block_cycles_l2, &w.block_cycles_dram})
    *part *= factor;
  finding.promise(report, w);
  finding.title = of_floats ? "floats are computed with in double precision"
                            : "integers are computed with in double precision where single would do";
  finding.detail = fmt::format("{:.0f} threads' double-precision operations, {:.0f} conversions to double or back",
                               doubles, conversions);
  finding.advice =
      "write constants with an f (0.5f) and call the float functions (tanhf, expf, sqrtf); integers up to 2^24 are "
      "exact in a float";
  finding.evidence = {{"fp64_thread_instructions", doubles}, {"conversions", conversions}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
