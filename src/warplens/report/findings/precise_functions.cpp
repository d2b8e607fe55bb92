#include <algorithm>
#include <bit>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"
#include "warplens/report/precise_function.h"

namespace warplens::report {
namespace {

uint32_t kind_named(std::string_view name) {
  const auto all = precise_functions();
  return 1u << (std::ranges::find(all, name, &PreciseFunction::name) - all.begin());
}

}  // namespace

// Sines, powers, logarithms and divisions of floats to the last bit, where they take most of the instructions.
void find_precise_functions(const KernelReport& report, std::vector<Defect>* findings) {
  double calls = 0, spared = 0, checks = 0;  // checks: of divisions, by the unit of special functions
  double reciprocals = 0;                    // of roots, which rsqrtf gives at once
  uint32_t kinds = 0;
  const uint32_t division = 1u << precise_function(sass::Opcode::kFchk, {}), root = kind_named("sqrtf");
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    calls += static_cast<double>(line.precise_calls);
    spared += static_cast<double>(line.precise_spared);
    kinds |= line.precise_kinds;
    const double of_each = static_cast<double>(line.precise_calls) / std::max(1, std::popcount(line.precise_kinds));
    if (line.precise_kinds & division) checks += of_each;
    if (line.precise_kinds & division && line.precise_kinds & root) reciprocals += of_each;
    if (const std::string at = place(line); line.precise_calls && !at.empty())
      places.push_back({line.precise_spared, at});
  }
  if (calls <= 0) return;
  Work w = report.work;
  const double factor = 1 - std::clamp<double>(w.instructions - calls, 0, spared) / std::max(w.instructions, 1.0);
  for (double* part : {&w.instructions, &w.alu, &w.fma, &w.imad, &w.branches}) *part *= factor;
  w.special -= std::min(w.special, checks + reciprocals);
  scale_instruction_cycles(factor, &w);
  std::vector<std::string> names, instead;
  for (size_t k = 0; k < precise_functions().size(); ++k) {
    if (!(kinds >> k & 1)) continue;
    names.push_back(precise_functions()[k].name);
    instead.push_back(precise_functions()[k].instead);
  }
  std::sort(places.rbegin(), places.rend());
  Defect finding{{.id = "precise-functions"}};
  finding.promise(report, w);
  finding.title = "float functions are computed at full precision";
  finding.detail = fmt::format("{} calls of warps ({}) take {} more instructions than the fast versions",
                               format_count(calls), join(names, ", "), format_count(spared));
  finding.advice =
      fmt::format("use {} if the last bits do not matter; -use_fast_math does this everywhere", join(instead, "; "));
  finding.evidence = {{"calls", calls}, {"instructions_spared", spared}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
