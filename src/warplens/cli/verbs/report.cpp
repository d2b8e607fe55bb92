// warplens report: one self-contained page that shows a profile in a browser.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/class_flags.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/ops_tables.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/timeline_tables.h"
#include "warplens/cli/trace_checks.h"
#include "warplens/cli/verb.h"
#include "warplens/page/page.h"
#include "warplens/program/analysis/operators/cause_table.h"
#include "warplens/program/analysis/operators/operator_table.h"
#include "warplens/program/analysis/summary/summary_text.h"
#include "warplens/program/findings/engine.h"
#include "warplens/trace/profile/verdict.h"

namespace warplens::cli {
namespace {

using namespace analysis;

/// What the sections are made from, computed once.
struct Analysed {
  const Profile& p;
  const ClassRules& rules;
  Causes causes;
  Classes classes;
  Summary summary;
  findings::Report report;
  Timeline timeline;

  Analysed(const Profile& profile, const ClassRules& class_rules)
      : p(profile),
        rules(class_rules),
        causes(profile),
        classes(classify(profile, causes.links.event_operator, rules)),
        summary(summarise(profile, causes.links.event_operator, rules, kActivitySlots)),
        report(findings::find_all(profile)),
        timeline(device_timeline(profile, causes, step_set(profile, causes.links.event_call))) {}

  static constexpr size_t kActivitySlots = 72;
};

page::Bars class_bars(const Summary& summary) {
  page::Bars bars{"GPU time by class", {}};
  for (const Share& each : summary.classes) {
    const double share =
        static_cast<double>(each.device_ns) / static_cast<double>(std::max<int64_t>(summary.work_ns, 1));
    bars.rows.push_back({each.name,
                         fmt::format("{}  {}  {} events", format_ns(static_cast<double>(each.device_ns)),
                                     format_share(share), each.count),
                         share});
  }
  return bars;
}

page::FindingsBlock findings_block(const Profile& p, const findings::Report& report, size_t limit) {
  page::FindingsBlock block;
  if (report.findings.empty()) block.note = nothing_found(p, report.step_ns > 0, 0);
  if (report.step_ns > 0)
    block.note += fmt::format("{}A step takes {} without the profiler ({} as recorded).", block.note.empty() ? "" : " ",
                              format_ns(static_cast<double>(report.step_ns)),
                              format_ns(static_cast<double>(report.recorded_step_ns)));
  for (const Finding& finding : report.findings) {
    if (block.findings.size() < limit) block.findings.push_back(finding);
  }
  if (report.findings.size() > limit) block.note += fmt::format(" The first {} of {}:", limit, report.findings.size());
  return block;
}

page::Section overview(const Analysed& a) {
  constexpr size_t kFirst = 3;
  const SummaryPage screen{a.p, a.summary, {}, "", SIZE_MAX, 0};
  page::Section out{"overview", "Overview", {}};
  page::Facts facts;
  facts.rows = summary_facts(screen);
  out.blocks.emplace_back(std::move(facts));
  if (a.summary.ranks.size() > 1) out.blocks.emplace_back(page::TableBlock{"Ranks", "", rank_table(screen)});
  out.blocks.emplace_back(findings_block(a.p, a.report, kFirst));
  if (a.summary.work_ns > 0) out.blocks.emplace_back(class_bars(a.summary));
  return out;
}

page::Section idle(const Analysed& a) {
  page::Section out{"idle", "Steps and idle time", {}};
  out.blocks.emplace_back(page::TableBlock{"Steps",
                                           "Computation and exposed times add up to busy time; idle time has causes.",
                                           steps_table(a.p, a.timeline)});
  out.blocks.emplace_back(page::TableBlock{"Idle time by cause", "", gaps_table(a.p, a.timeline, 0)});
  out.blocks.emplace_back(page::TableBlock{"Launches", "", launches_table(a.p, a.timeline)});
  return out;
}

page::Section operators(const Analysed& a) {
  page::Section out{"operators", "Operators", {}};
  const OperatorTable table = operator_table(a.p, a.causes, {});
  out.blocks.emplace_back(
      page::TableBlock{"Operators", "", brief_table(table.rows, table.device_ns, table.root_cpu_ns)});
  constexpr std::pair<CauseBy, const char*> kBy[] = {{CauseBy::kModule, "GPU time by module"},
                                                     {CauseBy::kLine, "GPU time by source line"}};
  for (const auto& [by, title] : kBy) {
    const CauseTable causes = cause_table(a.p, a.causes, a.classes, a.rules, by, 0);
    out.blocks.emplace_back(page::TableBlock{title, causes.missing, cause_rows(causes, by, true)});
  }
  return out;
}

page::Section kernels(const Analysed& a) {
  page::Section out{"kernels", "Kernels", {}};
  const CauseTable causes = cause_table(a.p, a.causes, a.classes, a.rules, CauseBy::kKernel, 0);
  out.blocks.emplace_back(page::TableBlock{"Kernels", "", cause_rows(causes, CauseBy::kKernel, true)});
  return out;
}

page::Section flames(const Analysed& a) {
  page::Section out{"flames", "Flame graph", {}};
  for (page::Flames each : {page::device_flames(a.p), page::host_flames(a.p)}) {
    if (!each.names.empty()) out.blocks.emplace_back(std::move(each));
  }
  return out;
}

/// Allocated and reserved memory of each GPU over time.
page::Series memory_series(const Profile& p, int32_t ordinal, int64_t start_ns) {
  constexpr int32_t kGpu = 1;
  page::Series series{fmt::format("Memory of GPU {}", ordinal), Kind::kBytes, {{"allocated", {}}, {"reserved", {}}}};
  for (uint32_t row = 0; row < p.allocations.size(); ++row) {
    if (p.allocations.device_type[row] != kGpu || p.allocations.device_ordinal[row] != ordinal) continue;
    const int64_t time_ns = p.allocations.time_ns[row] - start_ns;
    series.lines[0].points.emplace_back(time_ns, p.allocations.total_allocated_bytes[row]);
    series.lines[1].points.emplace_back(time_ns, p.allocations.total_reserved_bytes[row]);
  }
  return series;
}

Table owners_table(const MemoryPeak& peak) {
  Table table{{{"bytes", "bytes", Kind::kBytes}, {"blocks", "blocks", Kind::kCount}, {"owner", "owner", Kind::kText}},
              {}};
  table.rows.push_back({peak.before_bytes, Cell(), std::string("allocated before the recording")});
  for (const MemoryOwner& owner : peak.owners) table.rows.push_back({owner.bytes, owner.blocks, owner.place()});
  return table;
}

page::Section memory(const Analysed& a) {
  page::Section out{"memory", "Memory", {}};
  for (const RankSummary& rank : a.summary.ranks) {
    if (!rank.peak) continue;
    out.blocks.emplace_back(memory_series(a.p, rank.peak->device_ordinal, a.p.ranks.window_start_ns[rank.rank]));
    out.blocks.emplace_back(page::TableBlock{
        "Memory at the peak",
        fmt::format("{} allocated, {} reserved", format_bytes(static_cast<double>(rank.peak->allocated_bytes)),
                    format_bytes(static_cast<double>(rank.peak->reserved_bytes))),
        owners_table(*rank.peak)});
  }
  return out;
}

std::string title_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(path.substr(path.rfind('/') + 1));
  return join(names, ", ");
}

Result<int> run_report(const Invocation& invocation) {
  WL_ASSIGN(const ClassRules rules, chosen_rules(invocation));
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  const Analysed a(profile, rules);
  page::Page page{title_of(invocation.operands), integrity_verdict(profile), {}};
  page.sections.push_back(overview(a));
  page::Section timeline{"timeline", "Timeline", {}};
  timeline.blocks.emplace_back(page::lanes_of(profile, a.causes, a.classes, rules, a.timeline));
  page.sections.push_back(std::move(timeline));
  page::Section findings{"findings", "Findings", {}};
  findings.blocks.emplace_back(findings_block(a.p, a.report, SIZE_MAX));
  page.sections.push_back(std::move(findings));
  for (page::Section each : {operators(a), kernels(a), idle(a), flames(a), memory(a)}) {
    if (!each.blocks.empty()) page.sections.push_back(std::move(each));
  }
  WL_ASSIGN(FileWriter file, invocation.output_file());
  WL_TRY(page::write_page(page, [&](std::string_view bytes) { return file.write(bytes); }));
  WL_TRY(file.commit());
  ProfileReport(invocation, profile).warn();
  return kExitOk;
}

}  // namespace

extern const Verb kReport;
const Verb kReport = {
    "report",
    "write one page for a browser: timeline, findings, kernels",
    "PROFILE...",
    "The page opens anywhere and loads nothing from a network. Its words and numbers are those of the other verbs. "
    "Several files, one a rank, share one timeline.",
    with_cut_flags({classes_flag()}),
    {{"warplens report trace.json.gz -o report.html", "a page of the whole trace"},
     {"warplens report trace.json.gz --step 12 -o step12.html", "one step"}},
    run_report,
    {},
    Prints::kFile};

}  // namespace warplens::cli
