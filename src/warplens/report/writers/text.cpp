#include "warplens/report/writers/text.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/base/whole.h"
#include "warplens/gpu/metric_unit.h"
#include "warplens/output/saving.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/output/terminal.h"
#include "warplens/report/findings/findings.h"
#include "warplens/report/writers/resource_causes.h"

namespace warplens::report {
namespace {

/// Of work that was not counted: nothing but its time is known.
Fact modelled_time_fact(const KernelReport& report) {
  const TimeEstimate& time = report.time;
  const std::string band =
      time.high_ns > 0 ? fmt::format(" ({} to {})", format_ns(time.low_ns), format_ns(time.high_ns)) : "";
  return {fmt::format("time on {}", report.device->name),
          fmt::format("about {}{}, limited by {}, modelled from its shape", format_ns(time.ns), band, time.limited_by)};
}

Fact time_fact(const KernelReport& report) {
  const TimeEstimate& time = report.time;
  std::string out = fmt::format("about {} ({} to {}) with cold caches, {} between events; limited by {}; at least {}",
                                format_ns(time.ns), format_ns(time.low_ns), format_ns(time.high_ns),
                                format_ns(time.between_events_ns), time.limited_by, format_ns(time.bound_ns));
  if (report.mended_bound_ns < time.bound_ns)
    out += fmt::format(" now, {} after the fixes", format_ns(report.mended_bound_ns));
  if (time.cold_bound_ns > time.bound_ns)
    out += fmt::format(", or {} if its data is in DRAM", format_ns(time.cold_bound_ns));
  if (report.waits_for_others) out += "; threads wait for other threads' writes, and the time leaves out these waits";
  return {fmt::format("time on {}", report.device->name), out};
}

Fact occupancy_fact(const KernelReport& report) {
  const gpu::Occupancy& o = report.time.occupancy;
  return {"occupancy",
          fmt::format("{:.0f} %: {} of {} warps an SM, limited by {}; {:.2f} waves", 100 * o.fraction(), o.warps,
                      o.max_warps, join(gpu::limiter_names(o.limiters), ", "), report.time.waves),
          false};
}

void add_memory_facts(const KernelReport& report, std::vector<Fact>* out) {
  const Work& w = report.work;
  const auto bytes = [&](const char* metric) {
    const Metric* found = report.metric(metric);
    return format_bytes(found != nullptr ? found->value : 0);
  };
  if (!report.measured)
    out->push_back({"device memory", fmt::format("{} read, {} written at least; L1 answers {:.0f} % of loads",
                                                 format_bytes(model::dram_read_bytes(w)),
                                                 format_bytes(32 * w.written_sectors), 100 * w.l1_hit_rate)});
  else if (report.metric("dram__bytes_read.sum") != nullptr)
    out->push_back({"device memory",
                    fmt::format("{} read, {} written", bytes("dram__bytes_read.sum"), bytes("dram__bytes_write.sum"))});
  const Roofline& r = report.roofline;
  if (r.flops <= 0) return;
  const char* gap = r.flops < 1000 ? " " : "";  // no prefix to stand between
  out->push_back(
      {"arithmetic", fmt::format("{}{}FLOP; FLOP per byte: DRAM {:.3g}, L2 {:.3g}, L1 {:.3g}", format_count(r.flops),
                                 gap, r.roofs[0].intensity, r.roofs[1].intensity, r.roofs[2].intensity)});
}

/// The line of the finding's first place, with its neighbours.
std::string excerpt(const KernelReport& report, const Finding& finding) {
  if (finding.where.empty()) return "";
  const LineCounts* line = line_at(report, finding.where.front());
  return line ? source_excerpt(line->file, line->line, "    ") : "";
}

std::string finding_text(const KernelReport& report, const Finding& finding) {
  std::string out =
      fmt::format("  {} {}{}{}\n", styled(level_name(finding.level), style_of(finding.level, Style::kDim)),
                  styled(finding.id, Style::kBold), finding.where.empty() ? "" : " at ", join(finding.where, ", "));
  out += excerpt(report, finding);
  out += fmt::format("    {}: {}\n    {}\n", finding.title, finding.detail, finding.advice);
  return finding.saving_fraction ? out + "    " + saving_text(finding) + "\n" : out;
}

constexpr size_t kFirst = 3;

int64_t count(uint64_t value) { return static_cast<int64_t>(value); }

/// What a GPU's time is told from when it would run other machine code; code runs within its major version from its
/// own minor one on.
void add_other_code(const KernelReport& report, std::vector<Fact>* out) {
  const gpu::Arch& arch = report.device->architecture();
  const int code = report.code_architecture;
  if (code == 0 || (code / 10 == arch.major && code % 10 <= arch.minor)) return;
  out->push_back({"the machine code",
                  fmt::format("is for sm_{}, and the {} runs other code: compile and count that with --arch {}", code,
                              report.device->name, arch.name()),
                  false});
}

std::string measured_origin(const KernelReport& report) {
  const Measured& m = *report.measured;
  const auto counted = [](const Metric& metric) { return metric.fidelity == Fidelity::kMeasured; };
  if (m.passes == 0 && std::ranges::none_of(report.metrics, counted))
    return fmt::format("none; time and launch on {}", report.device->name);
  const std::string chip = m.chip.empty() ? "" : fmt::format(" ({})", m.chip);
  const std::string passes = m.passes == 0 ? "" : fmt::format(", {} pass{}", m.passes, m.passes == 1 ? "" : "es");
  return fmt::format("measured on {}{}{}", report.device->name, chip, passes);
}

std::string emulated_origin(const KernelReport& report) {
  if (report.why_adjusted.empty()) return "exact, from the machine code";
  return (report.from_machine_code ? "from the machine code, adjusted: " : "adjusted, from PTX: ") +
         report.why_adjusted;
}

}  // namespace

std::string counted_from(const KernelReport& report) {
  if (!report.why_not_counted.empty()) return "none: " + report.why_not_counted;
  if (!report.measured) return emulated_origin(report);
  return report.lines.empty() ? measured_origin(report) : emulated_origin(report) + "; " + measured_origin(report);
}

std::string together_text(const KernelReport& report) {
  const size_t n = std::min(kFirst, report.findings.size());
  const double saved = saved_together(report.findings, n);
  if (n < 2 || saved <= 0) return "";
  return fmt::format("together the {} would save about {}, and {} would remain",
                     n == report.findings.size() ? "findings" : "first three", format_share(saved),
                     format_ns(report.time.ns * (1 - saved)));
}

std::vector<Fact> summary_facts(const KernelReport& report) {
  if (!report.why_not_counted.empty()) return {modelled_time_fact(report)};
  std::vector<Fact> out;
  add_other_code(report, &out);
  if (report.measured) std::ranges::move(measured_facts(*report.measured), std::back_inserter(out));
  else out.push_back(time_fact(report));
  out.push_back(occupancy_fact(report));
  add_memory_facts(report, &out);
  return out;
}

std::string shown_name(const KernelReport& report) {
  constexpr size_t kLongestName = 120;
  return whole_names() ? report.kernel : ellipsis(report.kernel, kLongestName);
}

std::string summary_text(const KernelReport& report) {
  const bool counted = report.why_not_counted.empty();
  const std::string name = shown_name(report);
  std::string out =
      fmt::format("{}: {} {}\n", styled(name, Style::kBold),
                  counted ? "counters" : "not counted:", counted ? counted_from(report) : report.why_not_counted);
  out += lines_of(summary_facts(report));
  if (!counted) return out;
  out += resource_text(report);
  for (const Finding& finding : report.findings) out += finding_text(report, finding);
  const std::string together = together_text(report);
  return together.empty() ? out : out + "  " + together + "\n";
}

Table metric_table(const KernelReport& report) {
  Table table{{{"metric", "metric"}, {"value", "value", Kind::kNumber}, {"fidelity", "fidelity"}, {"unit", "unit"}},
              {}};
  for (const Metric& metric : report.metrics) {
    const std::optional<int64_t> whole = exact_int64(metric.value);
    const Cell value = whole ? Cell(*whole) : Cell(metric.value);
    table.rows.push_back({metric.name, value, std::string(name(metric.fidelity)), gpu::unit_of(metric.name)});
  }
  return table;
}

Table line_table(const KernelReport& report) {
  Table table{{{"line", "line"},
               {"instructions", "executed", Kind::kCount},
               {"global_sectors", "global sectors", Kind::kCount},
               {"global_ideal_sectors", "ideal", Kind::kCount},
               {"shared_wavefronts", "shared passes", Kind::kCount},
               {"shared_ideal_wavefronts", "ideal ", Kind::kCount},
               {"local_sectors", "local sectors", Kind::kCount},
               {"divergent_branches", "divergent branches", Kind::kCount}},
              {}};
  for (const LineCounts& line : report.lines) {
    const std::string at = place(line);
    table.rows.push_back({at.empty() ? "(no line)" : at, count(line.all.executions),
                          count(line.global_load.sectors + line.global_store.sectors),
                          count(line.global_load.ideal_sectors + line.global_store.ideal_sectors),
                          count(line.shared_load.wavefronts + line.shared_store.wavefronts),
                          count(line.shared_load.ideal_wavefronts + line.shared_store.ideal_wavefronts),
                          count(line.local.sectors), count(line.all.divergent_branches)});
  }
  return table;
}

Table instruction_table(const KernelReport& report) {
  Table table{{{"index", "#", Kind::kCount},
               {"instruction", "instruction"},
               {"line", "line"},
               {"executed", "executed", Kind::kCount},
               {"threads", "threads", Kind::kCount},
               {"sectors", "sectors", Kind::kCount},
               {"ideal_sectors", "ideal", Kind::kCount},
               {"wavefronts", "shared passes", Kind::kCount},
               {"ideal_wavefronts", "ideal ", Kind::kCount},
               {"divergent_branches", "divergent branches", Kind::kCount}},
              {}};
  for (const InstructionRow& row : report.instructions) {
    const simt::InstructionCounts& c = row.counts;
    if (c.executions == 0) continue;
    LineCounts line;
    line.file = row.file;
    line.line = row.line;
    table.rows.push_back({int64_t{row.index}, row.text, place(line), count(c.executions),
                          count(c.predicated_on_threads), count(c.sectors), count(c.ideal_sectors), count(c.wavefronts),
                          count(c.ideal_wavefronts), count(c.divergent_branches)});
  }
  return table;
}

}  // namespace warplens::report
