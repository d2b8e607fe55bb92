#include "warplens/cli/profile_page.h"

#include <algorithm>

#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/diff_tables.h"
#include "warplens/cli/ops_tables.h"
#include "warplens/cli/ranks_tables.h"
#include "warplens/cli/timeline_tables.h"
#include "warplens/cli/trace_checks.h"
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
  findings::Report report;
  Causes causes;
  Classes classes;
  Summary summary;
  Timeline timeline;

  Analysed(const Profile& profile, const ClassRules& class_rules, findings::CountedKernels counted)
      : Analysed(profile, class_rules, with_counters(findings::Joined(profile), std::move(counted))) {}

 private:
  static findings::Joined with_counters(findings::Joined joined, findings::CountedKernels counted) {
    joined.counted = std::move(counted);
    return joined;
  }

  /// The joins serve the findings first, then everything else.
  Analysed(const Profile& profile, const ClassRules& class_rules, findings::Joined joined)
      : p(profile),
        rules(class_rules),
        report(findings::find_all(profile, joined)),
        causes(profile, std::move(joined.operators), std::move(joined.links)),
        classes(classify(profile, causes.links.event_operator, rules)),
        summary(summarise(profile, causes.links.event_operator, rules, 0)),
        timeline(device_timeline(profile, causes, std::move(joined.step_set))) {}
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

/// Where in the timeline the longest of a finding's events begins.
std::optional<int64_t> spot_of(const Profile& p, const Finding& finding) {
  if (finding.events.empty()) return std::nullopt;
  const uint32_t longest =
      *std::ranges::max_element(finding.events, {}, [&](uint32_t row) { return p.device_events.duration_ns[row]; });
  return p.device_events.start_ns[longest] - page::origin_ns(p);
}

page::FindingsBlock findings_block(const Profile& p, const findings::Report& report, size_t limit) {
  page::FindingsBlock block;
  if (report.findings.empty()) block.note = nothing_found(p, report.step_ns > 0, 0);
  if (report.step_ns > 0) block.note += (block.note.empty() ? "" : " ") + findings::length_text(report);
  if (report.counted.any()) block.note += " " + std::string(trim(findings::counters_text(report.counted, SIZE_MAX)));
  for (const Finding& finding : report.findings) {
    if (block.findings.size() < limit) block.findings.push_back(finding);
  }
  for (const Finding& finding : block.findings) block.spots.push_back(spot_of(p, finding));
  if (report.findings.size() > limit) block.note += fmt::format(" The first {} of {}:", limit, report.findings.size());
  return block;
}

/// What is wrong with the data, if anything.
void add_data_rows(const Profile& p, const char* name, page::Facts* facts) {
  const std::string details = integrity_details(p);
  for (const std::string_view line : split(details, '\n')) {
    if (!trim(line).empty()) facts->rows.emplace_back(name, std::string(trim(line)));
  }
}

page::Section overview(const Analysed& a) {
  constexpr size_t kFirst = 3;
  const SummaryPage screen{a.p, a.summary, {}, "", SIZE_MAX, 0};
  page::Section out{"overview", "Overview", {}};
  page::Facts facts;
  add_data_rows(a.p, "data", &facts);
  std::ranges::move(summary_facts(screen), std::back_inserter(facts.rows));
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
  out.blocks.emplace_back(page::TableBlock{
      "Idle time by cause", "Each gap has the cause that explains most of it, and the operator that the host was in.",
      gaps_table(a.p, a.timeline, 0)});
  out.blocks.emplace_back(page::TableBlock{"Launches",
                                           "The first columns are the time from a launching call to the start of its "
                                           "kernel. The queue has the launched kernels that wait.",
                                           launches_table(a.p, a.timeline)});
  return out;
}

page::Section operators(const Analysed& a) {
  page::Section out{"operators", "Operators", {}};
  const OperatorTable table = operator_table(a.p, a.causes, {});
  out.blocks.emplace_back(
      page::TableBlock{"Operators", "", brief_table(table.rows, table.device_ns, table.root_cpu_ns)});
  constexpr std::pair<CauseBy, const char*> kBy[] = {{CauseBy::kModule, "GPU time by module"},
                                                     {CauseBy::kLine, "GPU time by source line"},
                                                     {CauseBy::kClass, "GPU time by class"}};
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

/// How much later than the first rank each came to each collective.
page::Heat lateness(const Profile& p, const RankAnalysis& analysis) {
  page::Heat heat{
      "How late each rank came to each collective",
      "Time after the first rank's start, on the clock of the first rank. A rank that is dark in many columns "
      "makes the others wait.",
      "rank",
      "collectives, in their order",
      Kind::kTimeNs,
      {},
      {},
      {}};
  for (const RankCost& rank : analysis.ranks) heat.rows.push_back(fmt::format("rank {}", rank.rank));
  for (const CollectiveCost& each : analysis.collectives)
    heat.columns.push_back(fmt::format("{} at {}", each.name, format_ns(static_cast<double>(each.start_ns))));
  for (size_t r = 0; r < analysis.ranks.size(); ++r) {
    for (const CollectiveCost& each : analysis.collectives) {
      const auto start = [&](size_t row) {  // as read, the clock's shift included
        return p.device_events.start_ns[each.events[row]] + analysis.ranks[row].clock.shift_ns -
               p.ranks.clock_shift_ns[row];
      };
      if (each.events[r] == kNone) {
        heat.values.emplace_back();
        continue;
      }
      int64_t first = start(r);
      for (size_t other = 0; other < analysis.ranks.size(); ++other) {
        if (each.events[other] != kNone) first = std::min(first, start(other));
      }
      heat.values.emplace_back(start(r) - first);
    }
  }
  return heat;
}

page::Section ranks(const Analysed& a) {
  page::Section out{"ranks", "Ranks", {}};
  if (a.p.ranks.size() < 2) return out;
  RankAnalysis analysis = analyse_ranks(a.p);
  page::Facts facts;
  if (analysis.not_one_job) {
    facts.rows.emplace_back("ranks", *analysis.not_one_job + ": not the ranks of one job");
    out.blocks.emplace_back(std::move(facts));
    return out;
  }
  facts.rows.emplace_back("ranks", std::string(trim(ranks_headline(analysis))));
  if (const std::string left = ranks_left_out(analysis); !left.empty())
    facts.rows.emplace_back("left out", std::string(trim(left)));
  out.blocks.emplace_back(std::move(facts));
  out.blocks.emplace_back(page::TableBlock{"Ranks", "", ranks_table(analysis)});
  if (analysis.collectives.empty()) return out;
  out.blocks.emplace_back(lateness(a.p, analysis));
  std::vector<CollectiveCost*> shown;
  for (CollectiveCost& each : analysis.collectives) shown.push_back(&each);
  std::ranges::stable_sort(shown, [](const auto* x, const auto* y) { return x->waiting_ns > y->waiting_ns; });
  out.blocks.emplace_back(page::TableBlock{"Collectives by waiting", "", collective_table(analysis, shown)});
  return out;
}

page::Lanes lanes(const Analysed& a) { return page::lanes_of(a.p, a.causes, a.classes, a.rules, a.timeline); }

}  // namespace

page::Page page_of(const Profile& profile, const ClassRules& rules, const std::string& title,
                   findings::CountedKernels counted) {
  const Analysed a(profile, rules, std::move(counted));
  page::Page page{title, integrity_verdict(profile), {}};
  page.whole = !withheld(profile, Conclusion::kGate);
  page.sections.push_back(overview(a));
  page::Section timeline{"timeline", "Timeline", {}};
  timeline.blocks.emplace_back(lanes(a));
  page.sections.push_back(std::move(timeline));
  page::Section findings{"findings", "Findings", {}};
  findings.blocks.emplace_back(findings_block(a.p, a.report, SIZE_MAX));
  page.sections.push_back(std::move(findings));
  for (page::Section each : {ranks(a), operators(a), kernels(a), idle(a), flames(a), memory(a)}) {
    if (!each.blocks.empty()) page.sections.push_back(std::move(each));
  }
  return page;
}

page::Page page_of_change(const Profile& base, const Profile& fresh, const ClassRules& rules, const std::string& title,
                          findings::CountedKernels counted) {
  const diff::Diff change = diff::diff_profiles(base, fresh, rules);
  page::Page page{title, fmt::format("base {}; new {}", integrity_verdict(base), integrity_verdict(fresh)), {}};
  page.whole = !withheld(base, Conclusion::kGate) && !withheld(fresh, Conclusion::kGate);
  page::Section overview{"change", "What changed", {}};
  page::Facts facts;
  add_data_rows(base, "data of the base", &facts);
  add_data_rows(fresh, "data of the new", &facts);
  const size_t told = facts.rows.size();
  const std::string headline = diff_headline(change);
  for (const std::string_view line : split(headline, '\n')) {
    if (!trim(line).empty()) facts.rows.emplace_back(facts.rows.size() == told ? "change" : "", std::string(line));
  }
  overview.blocks.emplace_back(std::move(facts));
  std::vector<page::Section> more;
  for (DiffSection& section : diff_sections(change, SIZE_MAX, false, 0)) {
    const char* const note =
        section.table.rows.empty()
            ? "Nothing here."
            : "The difference, and its share of the step's difference. A negative share works against it.";
    page::TableBlock block{section.title, note, std::move(section.table)};
    if (std::string_view(section.key) == "step" || std::string_view(section.key) == "classes") {
      overview.blocks.emplace_back(std::move(block));
      continue;
    }
    page::Section& tab = more.emplace_back(page::Section{section.key, capitalized(section.key), {}});
    tab.blocks.emplace_back(std::move(block));
  }
  page.sections.push_back(std::move(overview));
  const Analysed before(base, rules, {}), after(fresh, rules, std::move(counted));
  page::Section timeline{"timeline", "Timeline", {}};
  timeline.blocks.emplace_back(page::beside(lanes(before), lanes(after)));
  page.sections.push_back(std::move(timeline));
  for (page::Section& section : more) page.sections.push_back(std::move(section));
  page::Section findings{"findings", "Findings", {}};
  page::FindingsBlock of_new = findings_block(fresh, after.report, SIZE_MAX);
  of_new.side = "new";
  of_new.note = "The table shows the new profile. " + of_new.note;
  findings.blocks.emplace_back(std::move(of_new));
  page::FindingsBlock of_base = findings_block(base, before.report, SIZE_MAX);
  of_base.side = "base";
  of_base.note = "Of the base. " + of_base.note;
  findings.blocks.emplace_back(std::move(of_base));
  page.sections.push_back(std::move(findings));
  return page;
}

}  // namespace warplens::cli
