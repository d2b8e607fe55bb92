#include "warplens/counters/program_report.h"

#include <algorithm>
#include <map>
#include <set>

#include "warplens/base/demangle.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/whole.h"
#include "warplens/counters/code_text.h"
#include "warplens/counters/counted_lines.h"
#include "warplens/counters/over_time.h"
#include "warplens/counters/sampled_lines.h"
#include "warplens/report/writers/text.h"
#include "warplens/report/writers/write_json.h"

namespace warplens::counters {
namespace {

constexpr size_t kNameColumns = 60;
constexpr const char* kNoEnd =
    "the program ended without its exit handlers; this report has the counts up to that "
    "point";

std::string sizes_text(const std::array<uint32_t, 3>& sizes) {
  return fmt::format("{},{},{}", sizes[0], sizes[1], sizes[2]);
}

/// Where the sizes and rates of a GPU come from that the catalogue does not have.
std::string unlisted_text(const CountedDevice& device) {
  std::vector<std::string> said;
  if (device.sms > 0) said.push_back(fmt::format("{} SMs", device.sms));
  if (device.clock_khz > 0) said.push_back(fmt::format("{} MHz", device.clock_khz / 1000));
  if (device.memory_khz > 0 && device.memory_bits > 0) said.emplace_back("memory bandwidth");
  return fmt::format(
      "{} is not in `warplens device list`. {}The rest is in proportion to the best known GPU of its architecture",
      device.name, said.empty() ? "" : fmt::format("The file gives its {}. ", join(said, ", ")));
}

void note_devices(const Counts& counts, std::vector<std::string>* notes) {
  for (const CountedDevice& device : counts.devices) {
    if (!device.refused.empty())
      notes->push_back(fmt::format("no counters on {}: {}; times, occupancy and launches are still reported",
                                   device.name, device.refused));
    if (!in_catalogue(device)) notes->push_back(unlisted_text(device));
    if (!device.missing.empty())
      notes->push_back(fmt::format("{} does not have: {}", device.chip, join(device.missing, ", ")));
  }
}

/// Launches that were left out, by their reason.
void note_skipped(const std::vector<ProgramReport::Launch>& launches, std::vector<std::string>* notes) {
  std::map<std::string, std::pair<size_t, std::set<std::string>>> reasons;
  for (const auto& [launch, report] : launches) {
    if (launch.skipped.empty()) continue;
    auto& [count, kernels] = reasons[launch.skipped];
    ++count;
    kernels.insert(short_name(launch.kernel));
  }
  constexpr size_t kNamed = 3;
  for (const auto& [reason, which] : reasons) {
    std::vector<std::string> names(which.second.begin(), which.second.end());
    const size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
    names.resize(std::min(names.size(), kNamed));
    notes->push_back(fmt::format("{} launch{} not counted ({}{}): {}", which.first, which.first == 1 ? "" : "es",
                                 join(names, ", "), more ? fmt::format(" and {} more", more) : "", reason));
  }
}

/// Of Nsight Compute's own rules those with an estimate, once for each kernel: its findings stand beside ours.
void note_rules(const Counts& counts, std::vector<std::string>* notes) {
  std::map<std::string, std::map<std::string, double>> kernels;  // by kernel and rule: the largest estimate
  for (const CountedLaunch& launch : counts.launches) {
    for (const ToolRule& rule : launch.rules) {
      if (rule.speedup_percent <= 0) continue;
      double& estimate = kernels[short_name(launch.kernel)][rule.id];
      estimate = std::max(estimate, rule.speedup_percent);
    }
  }
  for (const auto& [kernel, rules] : kernels) {
    std::vector<std::string> parts;
    for (const auto& [id, percent] : rules) parts.push_back(fmt::format("{} {:.0f} %", id, percent));
    notes->push_back(fmt::format("Nsight Compute's own rules estimate for {}: {} (--json has their texts)",
                                 ellipsis(kernel, kNameColumns), join(parts, ", ")));
  }
}

void write_rules(json::Writer& w, const std::vector<ToolRule>& rules) {
  if (rules.empty()) return;
  w.key("nsight_rules").begin_array();
  for (const ToolRule& rule : rules) {
    w.begin_object().member("id", rule.id).member("kind", rule.kind).member("text", rule.text);
    w.key("speedup_percent");
    rule.speedup_percent > 0 ? w.value(rule.speedup_percent) : w.null();
    w.end_object();
  }
  w.end_array();
}

/// Names of library calls are no functions': they stay whole.
std::string launch_name(const ProgramReport::Launch& launch) {
  const bool is_function = !launch.report || launch.report->why_not_counted.empty();
  return is_function ? short_name(launch.counted.kernel) : launch.counted.kernel;
}

/// What holds a launch back, in a word or two.
std::string bound_by(const report::KernelReport& report) {
  if (!report.measured) return report.time.limited_by;
  const report::Measured& m = *report.measured;
  constexpr double kBusy = 0.6;
  if (!m.units.empty() && m.units.front().share >= kBusy) return m.units.front().name;
  if (report.time.waves > 0 && report.work.blocks < report.device->sms) return "small grid";
  // Only where every way to memory and the schedulers were seen to have time left.
  const auto counted = [&](std::string_view unit) {
    return std::ranges::any_of(m.units, [&](const report::UnitUse& use) { return use.name == unit; });
  };
  const bool all = counted(kDram) && counted(kL2) && counted(kL1) && (counted(kIssueSlots) || counted(kSm));
  return all ? "latency" : "";
}

}  // namespace

bool ProgramReport::any() const {
  return std::any_of(launches.begin(), launches.end(), [](const Launch& launch) { return launch.report.has_value(); });
}

Result<ProgramReport> program_report(const Counts& counts, const PeaksOf& peaks_of) {
  ProgramReport out;
  for (const CountedLaunch& launch : counts.launches) {
    out.launches.push_back({launch, {}});
    if (!launch.skipped.empty()) continue;
    if (std::ranges::find(launch.grid, 0) != launch.grid.end()) {
      out.launches.back().counted.skipped = "its grid has no size, so the profiler did not see it run";
      continue;
    }
    Result<report::KernelReport> report = measured_report(launch, counts.devices[launch.device], peaks_of);
    if (report.ok() && counts.locked_clocks)
      std::erase_if(report->findings, [](const Finding& finding) { return finding.id == "low-clock"; });
    if (report.ok()) out.launches.back().report = std::move(*report);
    else out.launches.back().counted.skipped = report.status().message();
  }
  for (const CountedRange& range : counts.ranges)
    out.ranges.push_back(range_report(range, range.skipped.empty() ? counts.devices[range.device] : CountedDevice()));
  if (counts.sampling) out.samplings.push_back(*counts.sampling);
  if (counts.instructions) out.instructions.push_back(*counts.instructions);
  out.over_time = counts.over_time;
  const int64_t compute = counts.devices.empty() ? 0 : counts.devices.front().compute;
  for (const auto& [kernel, bytes] : counts.code) out.code[kernel] = code_text(bytes, static_cast<int>(compute));
  note_devices(counts, &out.notes);
  note_rules(counts, &out.notes);
  out.notes.insert(out.notes.end(), counts.notes.begin(), counts.notes.end());
  note_skipped(out.launches, &out.notes);
  if (counts.graph_launches > 0 && counts.ranges.empty())
    out.notes.push_back(
        fmt::format("{} launch{} of CUDA graphs: kernels in graphs are not counted; --nvtx RANGE --replay range "
                    "counts a range with them",
                    counts.graph_launches, counts.graph_launches == 1 ? "" : "es"));
  if (!counts.ended) out.notes.push_back(kNoEnd);
  return out;
}

ProgramReport program_report(const report::ProgramLog& log) {
  ProgramReport out;
  out.emulated = true;
  for (const report::LoggedLaunch& launch : log.launches) {
    ProgramReport::Launch& row = out.launches.emplace_back();
    row.counted.kernel = launch.kernel;
    row.counted.grid = launch.shape.grid;
    row.counted.block = launch.shape.block;
    row.counted.cluster = launch.shape.cluster;
    row.counted.cooperative = launch.shape.cooperative;
    row.counted.dynamic_shared_bytes = launch.shape.dynamic_shared_bytes;
    row.counted.skipped = launch.skipped;
    if (launch.skipped.empty()) row.report = log.reports[launch.report];
  }
  out.ptx = log.ptx;
  out.notes = log.notes;
  note_skipped(out.launches, &out.notes);
  if (!log.ended) out.notes.push_back(kNoEnd);
  return out;
}

double launch_ns(const report::KernelReport& report) { return report.measured ? report.measured->ns : report.time.ns; }

Table launch_table(const ProgramReport& report) {
  Table table{{{"launch", "#", Kind::kCount},
               {"kernel", "kernel"},
               {"grid", "grid", Kind::kText, 2},
               {"block", "block", Kind::kText, 1},
               {"duration_ns", "time", Kind::kTimeNs},
               {"bound_by", "bound by"},
               {"occupancy", "occupancy", Kind::kShare, 3},
               {"achieved_occupancy", "achieved", Kind::kShare},
               {"finding", "first finding"}},
              {}};
  int64_t number = 0;
  for (const ProgramReport::Launch& launch : report.launches) {
    std::vector<Cell> row = {number++, launch_name(launch), sizes_text(launch.counted.grid),
                             sizes_text(launch.counted.block)};
    if (!launch.report) {
      row.insert(row.end(), {Cell(), std::string("not counted"), Cell(), Cell(), Cell()});
    } else {
      const report::KernelReport& r = *launch.report;
      row.push_back(launch_ns(r) > 0 ? Cell(nearest_int64(launch_ns(r))) : Cell());
      row.emplace_back(bound_by(r));
      row.push_back(r.why_not_counted.empty() ? Cell(r.time.occupancy.fraction()) : Cell());
      row.push_back(r.measured && r.measured->achieved_occupancy > 0 ? Cell(r.measured->achieved_occupancy) : Cell());
      row.emplace_back(!r.why_not_counted.empty() ? "(not counted)" : r.findings.empty() ? "" : r.findings.front().id);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<const report::KernelReport*> costliest_launches(const ProgramReport& report) {
  std::vector<const report::KernelReport*> out;
  std::map<std::string, size_t> rows;  // by kernel
  for (const ProgramReport::Launch& launch : report.launches) {
    if (!launch.report) continue;
    const auto [row, is_new] = rows.try_emplace(launch.report->kernel, out.size());
    if (is_new) out.push_back(&*launch.report);
    else if (launch_ns(*launch.report) > launch_ns(*out[row->second])) out[row->second] = &*launch.report;
  }
  return out;
}

std::string to_text(const ProgramReport& report, size_t width) {
  std::string out = report.launches.empty() ? "" : to_terminal(launch_table(report), width);
  for (const report::KernelReport* kernel : costliest_launches(report)) out += "\n" + report::summary_text(*kernel);
  out += ranges_text(report.ranges, width);
  for (const Sampling& sampling : report.samplings) out += sampled_text(sampling, width);
  for (const Instructions& instructions : report.instructions) out += counted_lines_text(instructions, width);
  out += over_time_text(report.over_time, width);
  for (const std::string& note : report.notes) out += "\nnote: " + note + "\n";
  return out;
}

std::string to_json(const ProgramReport& report) {
  json::Writer w(true);
  w.begin_object()
      .member("schema_version", kSchemaVersion)
      .member("source", report.emulated ? "emulated" : "hardware")
      .key("launches")
      .begin_array();
  for (const ProgramReport::Launch& launch : report.launches) {
    w.begin_object().member("kernel", launch_name(launch)).member("function", launch.counted.kernel);
    w.list("grid", launch.counted.grid);
    w.list("block", launch.counted.block);
    w.list("cluster", launch.counted.cluster);
    w.member("shared_bytes", launch.counted.dynamic_shared_bytes).member("cooperative", launch.counted.cooperative);
    if (launch.report) report::write_report(w, *launch.report);
    else w.member("skipped", launch.counted.skipped);
    write_rules(w, launch.counted.rules);
    w.end_object();
  }
  w.end_array();
  if (!report.ranges.empty()) write_ranges(w, report.ranges);
  for (const Sampling& sampling : report.samplings) write_sampling(w, sampling);
  for (const Instructions& instructions : report.instructions) write_counted_lines(w, instructions);
  if (!report.over_time.empty()) write_over_time(w, report.over_time);
  return w.list("notes", report.notes).end_object().take() + "\n";
}

}  // namespace warplens::counters
