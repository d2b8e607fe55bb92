#include <algorithm>
#include <limits>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Double precision in a kernel whose data are floats or integers: a constant without its f, or a function of double.
void find_accidental_double(const KernelReport& report, std::vector<Defect>* findings) {
  // Series for as many bits as a float has are that much shorter, and its numbers take one register for two.
  constexpr double kSinglePart =
      static_cast<double>(std::numeric_limits<float>::digits) / std::numeric_limits<double>::digits;
  constexpr double kRegisters = sizeof(double) / sizeof(float);
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
  const bool of_floats = conversions > 0;
  if (doubles == 0 || (!of_floats && (wide || from_integers <= 0))) return;
  conversions += from_integers;
  Work w = report.work;
  const double removed = std::min((1 - kSinglePart) * on_lines, kRegisters * doubles / 32);
  const double factor = w.instructions > 0 ? 1 - std::min(removed / w.instructions, 1 - kSinglePart) : 1;
  w.fma += kSinglePart * w.fp64;
  w.fp64 = 0;
  w.special -= std::min(w.special, conversions / 32);  // they go to the same pipe
  for (double* part : {&w.instructions, &w.alu, &w.imad}) *part *= factor;
  scale_instruction_cycles(factor, &w);
  finding.promise(report, w);
  finding.title = of_floats ? "float values are computed in double precision"
                            : "integers are computed in double precision, and single precision is enough";
  finding.detail = fmt::format("{} double-precision operations of threads, {} conversions to double or back",
                               format_count(doubles), format_count(conversions));
  finding.advice =
      "write constants with an f (0.5f) and call the float functions (tanhf, expf, sqrtf); integers up to 2^24 are "
      "exact in a float";
  finding.evidence = {{"fp64_thread_instructions", doubles}, {"conversions", conversions}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
