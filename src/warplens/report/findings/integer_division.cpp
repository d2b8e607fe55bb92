#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Divisions and remainders by numbers that the compiler does not know.
void find_integer_division(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kDivision = 24, kByConstant = 5;  // instructions: of a 32-bit division, and of one by a constant
  double high_products = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    high_products += static_cast<double>(line.integer_wide);
    if (const std::string at = place(line); line.integer_wide && !at.empty()) places.push_back({line.integer_wide, at});
  }
  const double divisions = high_products / 2;
  if (divisions <= 0) return;
  Work w = report.work;
  const double removed = std::clamp<double>(w.instructions - divisions, 0, divisions * (kDivision - kByConstant));
  const double factor = 1 - removed / w.instructions;
  for (double* part : {&w.instructions, &w.alu, &w.imad, &w.special}) *part *= factor;
  scale_instruction_cycles(factor, &w);
  std::sort(places.rbegin(), places.rend());
  Defect finding{{.id = "integer-division"}};
  finding.promise(report, w);
  finding.title = "integers are divided by numbers that the compiler does not know";
  finding.detail =
      fmt::format("about {} divisions or remainders of warps, each about 20 instructions", format_count(divisions));
  finding.advice =
      "divide by compile-time constants or powers of two (shifts and masks), move the division out of the loop, or "
      "use a counter instead";
  finding.evidence = {{"divisions", divisions}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 2); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
