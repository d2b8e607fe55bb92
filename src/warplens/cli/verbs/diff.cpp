// warplens diff: two profiles of one program, what changed and what explains it.
#include "warplens/program/analysis/diff/diff.h"

#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/class_flags.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/kernel_baseline.h"
#include "warplens/cli/narrow_table.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/kernel_name.h"

namespace warplens::cli {
namespace {

using analysis::diff::Change;
using analysis::diff::Diff;
using analysis::diff::Difference;

constexpr size_t kLeastName = 32;    // before other columns give way
constexpr size_t kNameColumns = 60;  // of one side's name, for people

/// `columns` cuts each side's name; 0 leaves it whole.
std::string shown_name(const Difference& d, size_t columns) {
  const auto cut = [&](const std::string& name) { return analysis::cut_to_width(name, columns); };
  if (d.base_name.empty() || d.base_name == d.new_name) return cut(d.new_name);
  return d.new_name.empty() ? cut(d.base_name) : cut(d.base_name) + " -> " + cut(d.new_name);
}

/// `explains` is the row's share of `total_ns`, the difference that the whole list adds up to.
Table difference_table(const std::vector<Difference>& list, size_t limit, bool only_changed, size_t columns) {
  Table table{{{"name", "name"},
               {"change", "change"},
               {"base_count", "base n", Kind::kNumber},
               {"new_count", "new n", Kind::kNumber},
               {"base_ns", "base", Kind::kTimeNs},
               {"new_ns", "new", Kind::kTimeNs},
               {"difference_ns", "difference", Kind::kTimeNs},
               {"noise_ns", "noise", Kind::kTimeNs},
               {"explains_fraction", "explains", Kind::kShare}},
              {}};
  double total_ns = 0;
  for (const Difference& d : list) total_ns += d.difference_ns();
  for (const Difference& d : list) {
    if (table.rows.size() == limit) break;
    if (only_changed && d.change == Change::kSame) continue;
    const auto ns = [](double value) { return Cell(static_cast<int64_t>(std::llround(value))); };
    table.rows.push_back({shown_name(d, columns), std::string(analysis::diff::name(d.change)), d.base_count,
                          d.new_count, ns(d.base_ns), ns(d.new_ns), ns(d.difference_ns()),
                          d.noise_ns ? ns(*d.noise_ns) : Cell(),
                          total_ns == 0 ? Cell() : Cell(d.difference_ns() / total_ns)});
  }
  return table;
}

struct Section {
  const char* key;
  const char* title;
  Table table;
};

std::vector<Section> sections(const Diff& diff, size_t limit, bool only_changed, size_t columns) {
  std::vector<Section> list;
  list.push_back({"step", "Per step", difference_table({diff.wall, diff.busy, diff.idle}, 3, false, columns)});
  for (auto& row : list.back().table.rows) row.pop_back();  // these three are not parts of one sum
  list.back().table.columns.pop_back();
  list.push_back({"host", "Host time by operator, range and call, each without what it calls",
                  difference_table(diff.host, limit, only_changed, columns)});
  list.push_back({"classes", "GPU time by class", difference_table(diff.classes, limit, only_changed, columns)});
  list.push_back({"operators", "GPU time by operator", difference_table(diff.operators, limit, only_changed, columns)});
  list.push_back({"kernels", "GPU time by kernel", difference_table(diff.kernels, limit, only_changed, columns)});
  return list;
}

std::string headline(const Diff& diff) {
  const Difference& wall = diff.wall;
  const double fraction = wall.base_ns > 0 ? wall.difference_ns() / wall.base_ns : 0;
  std::string text;
  if (wall.change == Change::kSame)
    text = fmt::format("no change{}: a step takes {} (was {})", wall.noise_ns ? " beyond noise" : "",
                       format_ns(wall.new_ns), format_ns(wall.base_ns));
  else
    text = fmt::format("{:.1f} % {}: a step takes {} (was {})", std::fabs(fraction) * 100,
                       analysis::diff::name(wall.change), format_ns(wall.new_ns), format_ns(wall.base_ns));
  text += fmt::format("; {} and {} steps, noise {}\n", diff.base_steps, diff.new_steps,
                      wall.noise_ns ? format_ns(*wall.noise_ns) : "not known");
  if (diff.base_devices != diff.new_devices)
    text += fmt::format("other GPUs: {} in the base, {} in the new one\n", diff.base_devices, diff.new_devices);
  if (diff.by_device_work)
    text +=
        "that is within the noise of so few steps, but every one of them changed, and so did the GPU's work alone\n";
  if (!diff.base_has_steps || !diff.new_has_steps)
    text += "nothing marks steps in one of the traces: it stands as one step\n";
  for (const auto& [name, left_out] : {std::pair("base", &diff.base_left_out), std::pair("new", &diff.new_left_out)}) {
    if (!left_out->empty()) text += fmt::format("of the {} profile's steps {}\n", name, *left_out);
  }
  if (!wall.noise_ns) text += "one step a side shows no noise: what is called slower or faster may be chance\n";
  return text;
}

/// Names stay readable where the terminal is narrow: other columns give way.
std::string shown_table(const Table& table) {
  const NarrowTable narrow = narrowed(table, terminal_width(), kLeastName, {"noise", "base n", "new n", "change"});
  return to_terminal(narrow.table, terminal_width()) + narrow.note;
}

std::string as_text(const Diff& diff, const std::vector<Section>& list, Format format) {
  std::string out = headline(diff);
  for (const Section& section : list) {
    if (section.table.rows.empty()) out += fmt::format("\n{}: nothing changed beyond noise\n", section.title);
    else
      out += format == Format::kMarkdown
                 ? fmt::format("\n## {}\n\n{}", section.title, to_markdown(section.table))
                 : fmt::format("\n{}\n{}", styled(section.title, Style::kBold), shown_table(section.table));
  }
  return out;
}

void write_members(json::Writer& writer, const Diff& diff, const std::vector<Section>& list) {
  writer.member("base_devices", diff.base_devices).member("new_devices", diff.new_devices);
  writer.member("base_steps", static_cast<int64_t>(diff.base_steps))
      .member("new_steps", static_cast<int64_t>(diff.new_steps));
  writer.member("base_left_out", diff.base_left_out).member("new_left_out", diff.new_left_out);
  for (const Section& section : list) write_rows(writer.key(section.key), section.table);
}

/// One list with the section's key in front of each row.
std::string as_csv(const std::vector<Section>& list) {
  Table all{{{"section", "section"}}, {}};
  all.columns.insert(all.columns.end(), list.back().table.columns.begin(), list.back().table.columns.end());
  for (const Section& section : list) {
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
        "files of counters are compared as text; for JSON: warplens counters NEW --baseline BASE --json");
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
  double fail_on = -1;
  if (invocation.has("--fail-on")) {
    WL_ASSIGN(fail_on, invocation.percent("--fail-on"));
  }
  WL_ASSIGN(const size_t limit, invocation.count("--limit"));
  WL_ASSIGN(const analysis::ClassRules rules, chosen_rules(invocation));
  WL_ASSIGN(const Profile base, read_cut(invocation, {invocation.operands[0]}));
  WL_ASSIGN(const Profile fresh, read_cut(invocation, {invocation.operands[1]}));
  const Diff diff = analysis::diff::diff_profiles(base, fresh, rules);
  const Format format = invocation.format();
  const bool for_people = format == Format::kTable || format == Format::kMarkdown;
  const auto list = sections(diff, limit, !invocation.has("--all"), for_people ? kNameColumns : 0);
  const ProfileReport report(invocation, base, fresh);
  switch (format) {
    case Format::kTable: WL_TRY(report.text(as_text(diff, list, format))); break;
    case Format::kMarkdown: WL_TRY(report.markdown(as_text(diff, list, format))); break;
    case Format::kJson: WL_TRY(report.json([&](json::Writer& w) { write_members(w, diff, list); }, false)); break;
    case Format::kCsv: WL_TRY(report.foreign(as_csv(list))); break;
  }
  if (fail_on >= 0 && !diff.wall.noise_ns)
    return unsupported(
        "--fail-on cannot judge: with one step a side the noise is not known; record two steps or more "
        "(torch.profiler.schedule and p.step())");
  const bool slower = diff.wall.change == Change::kSlower && diff.wall.difference_ns() > fail_on * diff.wall.base_ns;
  return report.gate(slower);
}

}  // namespace

extern const Verb kDiff;
const Verb kDiff = {
    "diff",
    "compare two profiles, and explain what changed",
    "BASE NEW",
    "Compares two profiles step by step. Kernels are matched by operator, input shapes and name, then renamed ones of "
    "the same class by their operator and shapes; others are added or removed. A difference within the noise that the "
    "steps themselves show, or under 1 %, is called none. 'explains' is a row's share of the difference that its table "
    "adds up to.",
    with_cut_flags(
        {{"--limit", "N", "rows a table", "20"},
         {"--all", "", "rows that did not change, too"},
         {"--fail-on", "PERCENT", "exit with 3 when a step became slower by more than this, beyond noise: 5%"},
         allow_damaged_flag(),
         classes_flag()}),
    {{"warplens diff before.json.gz after.json.gz", "what a change did"},
     {"warplens diff base.wlens new.json --fail-on 5%", "a gate for CI"}},
    run_diff,
    {{"profiles", [](const Invocation&) { return true; }, "*", {{"--allow-damaged", "--fail-on"}}}}};

}  // namespace warplens::cli
