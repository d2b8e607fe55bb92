#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/saving.h"
#include "warplens/output/terminal.h"
#include "warplens/output/wrap.h"
#include "warplens/program/analysis/steps/step_range.h"
#include "warplens/program/findings/engine.h"

namespace warplens::findings {
namespace {

/// "The first 3 together save about 12.3 ms (60 %)": those whose savings were tried at once.
std::string together_text(const Report& report) {
  size_t n = 0;
  double saved = 0;
  for (const Finding& finding : report.findings) {
    n += finding.beside_fraction && !is_minor(finding);
    saved += finding.beside_fraction.value_or(0);
  }
  if (n < 2) return {};
  return fmt::format("Fixing the {} most valuable findings with a known saving together saves about {} ({}).", n,
                     format_ns(saved * static_cast<double>(report.step_ns)), format_share(saved));
}

/// "Smaller findings, each under 1.0 % of a step: host-sync, ..."; empty where there are none.
std::string minor_text(const Report& report, bool alone) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings) {
    if (is_minor(finding)) ids.push_back(finding.id);
  }
  if (ids.empty()) return {};
  const std::string least = fmt::format("{} of {}", format_share(kMinorSaving), report.steps ? "a step" : "the run");
  const std::string head = alone ? fmt::format("Nothing found would save {} or more. Smaller findings", least)
                                 : fmt::format("Smaller findings, each under {}", least);
  return fmt::format("{}: {} (--json shows them all).", head, join(ids, ", "));
}

/// Which of the recorded steps that is, where it is not all that ProfilerStep ranges mark.
std::string steps_text(const Report& report) {
  const analysis::StepSummary& steps = report.recorded_steps;
  const std::string left_out = analysis::left_out_text(steps);
  if (steps.steps == 0 || (left_out.empty() && report.step_source == analysis::StepSource::kProfiler)) return "";
  std::string out = fmt::format("This covers {} of {} recorded steps, marked by {}", steps.steady, steps.steps,
                                analysis::source_name(report.step_source));
  if (const std::string range = analysis::range_text(steps); !range.empty()) out += fmt::format(", {} long", range);
  return out + (left_out.empty() ? "" : "; " + left_out) + ".\n";
}

constexpr size_t kKernelsOfFinding = 2, kKernelsOfAll = 5;  // shown

std::string causes_text(const std::vector<CountedCause>& causes, size_t shown, size_t fit) {
  std::string out;
  for (size_t i = 0; i < std::min(shown, causes.size()); ++i)
    out += wrap("kernel: " + cause_text(causes[i]), fit, "   ");
  if (causes.size() > shown)
    out += fmt::format("   and {} more counted kernels (--json shows them)\n", causes.size() - shown);
  return out;
}

void write_counted(json::Writer& w, const CountedKernels& counted) {
  w.key("counters").begin_object().member("launches", static_cast<int64_t>(counted.launches.size()));
  w.member("launches_joined", static_cast<int64_t>(counted.launches_joined));
  w.member("timeline_kernels", static_cast<int64_t>(counted.kernels));
  w.member("kernels_joined", static_cast<int64_t>(counted.kernels_joined))
      .member("timeline_kernels_ns", counted.kernels_ns);
  w.member("joined_ns", counted.joined_ns).member("ambiguous_ns", counted.ambiguous_ns);
  write_causes(w, counted.causes);
  w.list("notes", counted.notes).end_object();
}

}  // namespace

std::string counters_text(const CountedKernels& counted, size_t width) {
  if (!counted.any()) return {};
  std::string out =
      wrap(fmt::format("Counters: {} of {} counted launches joined {} of {} kernels ({} of their time).",
                       counted.launches_joined, counted.launches.size(), counted.kernels_joined, counted.kernels,
                       format_share(static_cast<double>(counted.joined_ns) /
                                    static_cast<double>(std::max<int64_t>(counted.kernels_ns, 1)))),
           width, "");
  for (const std::string& note : counted.notes) out += wrap(note, width, "  ");
  return out;
}

std::string length_text(const Report& report) {
  return fmt::format("A {} takes {} without the profiler ({} as recorded).",
                     report.steps ? "step" : "run of this trace", format_ns(static_cast<double>(report.step_ns)),
                     format_ns(static_cast<double>(report.recorded_step_ns)));
}

std::string to_terminal(const Report& report, size_t width) {
  const size_t fit = width ? std::min<size_t>(width, 120) : 120;
  std::string out;
  if (report.step_ns > 0) {
    out += length_text(report) + "\n";
    out += steps_text(report);
  }
  size_t number = 0;
  for (const Finding& finding : report.findings) {
    if (is_minor(finding)) continue;
    out += fmt::format("\n{}. {}  {}\n", ++number, styled(finding.id, style_of(finding.level, Style::kBlue)),
                       saving_text(finding, kMinorSaving));
    out += wrap(finding.title, fit, "   ");
    if (!finding.detail.empty()) out += wrap(finding.detail, fit, "   ");
    if (!finding.where.empty()) out += wrap("where: " + join(finding.where, "; "), fit, "   ");
    out += causes_text(finding.kernels, kKernelsOfFinding, fit);
    out += wrap("do: " + finding.advice, fit, "   ");
  }
  if (const std::string together = together_text(report); !together.empty()) out += "\n" + wrap(together, fit, "");
  if (const std::string minor = minor_text(report, number == 0); !minor.empty()) out += "\n" + wrap(minor, fit, "");
  if (report.counted.any())
    out += "\n" + counters_text(report.counted, fit) + causes_text(report.counted.causes, kKernelsOfAll, fit);
  if (number > 0)
    out += "\n" +
           wrap(fmt::format("`warplens findings --explain {}` explains a finding and links to more about its cause.",
                            report.findings[0].id),
                fit, "");
  return out;
}

void write_members(json::Writer& w, const Report& report) {
  w.member("step_ns", report.step_ns)
      .member("recorded_step_ns", report.recorded_step_ns)
      .member("steps", static_cast<int64_t>(report.steps));
  w.member("steps_by", analysis::source_name(report.step_source));
  analysis::write_steps(w.key("recorded_steps"), report.recorded_steps);
  w.key("findings").begin_array();
  for (const Finding& finding : report.findings) {
    w.begin_object().member("id", finding.id).member("severity", level_name(finding.level));
    w.member("title", finding.title).member("detail", finding.detail).member("advice", finding.advice);
    w.key("saving_ns");
    finding.saving_ns ? w.value(*finding.saving_ns) : w.null();
    w.key("saving_fraction");
    finding.saving_fraction ? w.value(*finding.saving_fraction) : w.null();
    if (finding.beside_fraction) w.member("beside_fraction", *finding.beside_fraction);
    if (finding.id == "launch-bound" && !report.before_capture.empty()) w.list("after", report.before_capture);
    w.member("minor", is_minor(finding));
    write_evidence(w, finding);
    w.list("where", finding.where);
    if (report.counted.any()) write_causes(w, finding.kernels);
    w.end_object();
  }
  w.end_array();
  if (report.counted.any()) write_counted(w, report.counted);
}

Table to_table(const Report& report) {
  Table table{{{"id", "finding"},
               {"severity", "severity"},
               {"saving_ns", "saving", Kind::kTimeNs},
               {"saving_fraction", report.steps ? "of a step" : "of the run", Kind::kShare},
               {"title", "what"},
               {"advice", "what to do"}},
              {}};
  for (const Finding& f : report.findings) {
    table.rows.push_back({f.id, std::string(level_name(f.level)), f.saving_ns ? Cell{*f.saving_ns} : Cell{},
                          f.saving_fraction ? Cell{*f.saving_fraction} : Cell{}, f.title, f.advice});
  }
  return table;
}

}  // namespace warplens::findings
