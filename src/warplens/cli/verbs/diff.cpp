// warplens diff: two profiles of one program, what changed and what explains it.
#include "warplens/program/analysis/diff/diff.h"

#include <cmath>
#include <optional>

#include "warplens/base/quantity.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/class_flags.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/diff_tables.h"
#include "warplens/cli/gate.h"
#include "warplens/cli/kernel_baseline.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

using analysis::diff::Diff;

/// What --fail-on allows: "5%" of a step's time, "memory=10%" of the peak, or both with a comma between them.
struct Limits {
  std::optional<double> step, memory;
};

Result<Limits> limits_of(const Invocation& invocation) {
  constexpr std::string_view kMemory = "memory=";
  Limits out;
  if (!invocation.has("--fail-on")) return out;
  for (const std::string_view word : split(invocation.text("--fail-on"), ',')) {
    const bool of_memory = word.starts_with(kMemory);
    const Result<double> share = parse_percent(of_memory ? word.substr(kMemory.size()) : word);
    if (!share.ok())
      return usage_error(fmt::format("--fail-on {}: give a percentage (5%), memory=10%, or both: 5%,memory=10%",
                                     invocation.text("--fail-on")));
    (of_memory ? out.memory : out.step) = *share;
  }
  return out;
}

/// The cases of the gate; an error if one cannot be judged.
Status judge(const Diff& diff, const Limits& limits, Gate* gate) {
  if (limits.step) {
    const bool slower = diff.wall.change == analysis::diff::Change::kSlower &&
                        diff.wall.difference_ns() > *limits.step * diff.wall.base_ns;
    const std::string headline = diff_headline(diff);
    gate->add(
        {"step", slower ? Outcome::kFailed : Outcome::kPassed, std::string(split(headline, '\n').front()), headline});
    if (!diff.wall.noise_ns)
      return unsupported(
          "--fail-on cannot judge: with one step on each side, the noise is unknown. Record two steps or more "
          "(torch.profiler.schedule and p.step())");
  }
  if (limits.memory) {
    const auto before = static_cast<double>(diff.base_peak_bytes), after = static_cast<double>(diff.new_peak_bytes);
    if (before <= 0 || after <= 0)
      return unsupported(
          "--fail-on memory= cannot judge: a recording has no allocations. Record with profile_memory=True");
    const std::string text = fmt::format("{:.1f} % {} peak memory: {} (was {})", std::fabs(after / before - 1) * 100,
                                         after < before ? "less" : "more", format_bytes(after), format_bytes(before));
    gate->add({"peak memory", after > (1 + *limits.memory) * before ? Outcome::kFailed : Outcome::kPassed, text, text});
  }
  return {};
}

constexpr size_t kNameColumns = 60;  // of one side's name, for people

std::string as_text(const Diff& diff, const std::vector<DiffSection>& list, Format format) {
  std::string out = diff_headline(diff);
  for (const DiffSection& section : list) {
    if (section.table.rows.empty()) out += fmt::format("\n{}: nothing changed beyond noise\n", section.title);
    else
      out += format == Format::kMarkdown ? fmt::format("\n## {}\n\n{}", section.title, to_markdown(section.table))
                                         : fmt::format("\n{}\n{}", styled(section.title, Style::kBold),
                                                       to_terminal(section.table, terminal_width()));
  }
  return out;
}

void write_members(json::Writer& writer, const Diff& diff, const std::vector<DiffSection>& list) {
  writer.member("base_devices", diff.base_devices).member("new_devices", diff.new_devices);
  writer.member("base_steps", static_cast<int64_t>(diff.base_steps))
      .member("new_steps", static_cast<int64_t>(diff.new_steps));
  writer.member("base_left_out", diff.base_left_out).member("new_left_out", diff.new_left_out);
  for (const DiffSection& section : list) write_rows(writer.key(section.key), section.table);
}

/// One list with the section's key in front of each row.
std::string as_csv(const std::vector<DiffSection>& list) {
  Table all{{{"section", "section"}}, {}};
  all.columns.insert(all.columns.end(), list.back().table.columns.begin(), list.back().table.columns.end());
  for (const DiffSection& section : list) {
    for (std::vector<Cell> row : section.table.rows) {
      row.insert(row.begin(), std::string(section.key));
      row.resize(all.columns.size());
      all.rows.push_back(std::move(row));
    }
  }
  return to_csv(all);
}

/// Launches that were counted, by --keep or Nsight Compute: as `warplens counters NEW --baseline BASE` compares them.
Result<int> diff_counts(const Invocation& invocation) {
  if (invocation.format() != Format::kTable)
    return usage_error(
        "comparisons of counter files are text; for JSON, run: warplens kernel NEW --baseline BASE --json");
  WL_ASSIGN(Baseline baseline, baseline_of(invocation, invocation.operands[0]));
  if (invocation.has("--fail-on")) {
    WL_ASSIGN(baseline.limit, invocation.percent("--fail-on"));
  }
  WL_ASSIGN(const counters::ProgramReport report, read_kept_counts(invocation, {invocation.operands[1]}));
  std::vector<const report::KernelReport*> reports;
  for (const auto& launch : report.launches) {
    if (launch.report) reports.push_back(&*launch.report);
  }
  WL_ASSIGN(const bool crossed, compare_with(baseline, invocation, reports));
  return crossed ? kExitThreshold : kExitOk;
}

Result<int> run_diff(const Invocation& invocation) {
  if (invocation.operands.size() != 2) return usage_error("give two profiles: BASE NEW");
  if (is_counts_file(invocation.operands[0]) && is_counts_file(invocation.operands[1])) return diff_counts(invocation);
  WL_ASSIGN(const Limits limits, limits_of(invocation));
  WL_ASSIGN(size_t limit, invocation.count("--limit"));
  if (limit == 0) limit = SIZE_MAX;
  WL_ASSIGN(const analysis::ClassRules rules, chosen_rules(invocation));
  WL_ASSIGN(const Profile base, read_cut(invocation, {invocation.operands[0]}));
  WL_ASSIGN(const Profile fresh, read_cut(invocation, {invocation.operands[1]}));
  const Diff diff = analysis::diff::diff_profiles(base, fresh, rules);
  const Format format = invocation.format();
  const bool for_people = format == Format::kTable || format == Format::kMarkdown;
  const auto list = diff_sections(diff, limit, !invocation.has("--all"), for_people ? kNameColumns : 0);
  const ProfileReport report(invocation, base, fresh);
  switch (format) {
    case Format::kTable: WL_TRY(report.text(as_text(diff, list, format))); break;
    case Format::kMarkdown: WL_TRY(report.markdown(as_text(diff, list, format))); break;
    case Format::kJson: WL_TRY(report.json([&](json::Writer& w) { write_members(w, diff, list); }, false)); break;
    case Format::kCsv: WL_TRY(report.foreign(as_csv(list))); break;
  }
  Gate gate(invocation, "diff");
  if (const Status judged = judge(diff, limits, &gate); !judged.ok()) return gate.cannot_judge(judged);
  return report.gate(gate);
}

}  // namespace

extern const Verb kDiff;
const Verb kDiff = {
    "diff",
    "compare two profiles, and explain what changed",
    "BASE NEW",
    "Compares two profiles step by step. Kernels are matched by operator, input shapes and name. Renamed kernels of "
    "the same class are matched by operator and shapes. All others are added or removed. A difference within the "
    "noise of the steps, or under 1 %, counts as none. 'explains' is a row's share of the step's difference; a "
    "negative "
    "one works against it. A step is the sum of computation, exposed communication, exposed copies and GPU idle.",
    with_cut_flags({{"--limit", "N", "rows a table; 0: all", "20"},
                    {"--all", "", "also show rows that did not change"},
                    {"--fail-on", "LIMIT",
                     "exit with 3 if a step became slower by more than 5% beyond noise, or if peak memory grew by more "
                     "(memory=10%). A comma joins both: 5%,memory=10%"},
                    allow_damaged_flag(),
                    classes_flag()}),
    {{"warplens diff before.json.gz after.json.gz", "the effect of a change"},
     {"warplens diff base.wlens new.json --fail-on 5%", "a gate for CI"}},
    run_diff,
    {{"profiles", [](const Invocation&) { return true; }, "*", {{"--allow-damaged", "--fail-on"}}}}};

}  // namespace warplens::cli
