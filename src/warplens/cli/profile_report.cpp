#include "warplens/cli/profile_report.h"

#include <algorithm>

#include "warplens/base/schema.h"
#include "warplens/base/stand_in.h"
#include "warplens/base/text.h"
#include "warplens/cli/trace_checks.h"
#include "warplens/output/terminal.h"
#include "warplens/trace/profile/verdict.h"

namespace warplens::cli {
namespace {

bool is_modelled(const Profile& p) {
  return std::ranges::any_of(p.devices.name, [&](auto name) { return p.text(name).ends_with(kEmulatedMark); });
}

}  // namespace

ProfileReport::ProfileReport(const Invocation& invocation, const Profile& profile)
    : invocation_(invocation), subjects_{{"", profile}} {}

ProfileReport::ProfileReport(const Invocation& invocation, const Profile& base, const Profile& fresh)
    : invocation_(invocation), subjects_{{"base", base}, {"new", fresh}} {}

std::string ProfileReport::verdict() const {
  std::vector<std::string> parts;
  for (const Subject& each : subjects_)
    parts.push_back((each.name.empty() ? "" : each.name + " ") + integrity_verdict(each.profile));
  return join(parts, "; ");
}

std::string ProfileReport::verdict_line() const {
  std::string out;
  for (const Subject& each : subjects_)
    out += fmt::format("{:<12}{}\n", each.name.empty() ? "integrity" : each.name, integrity_verdict(each.profile));
  if (std::ranges::any_of(subjects_, [](const Subject& each) { return is_modelled(each.profile); }))
    out += fmt::format("{:<12}{}\n", "clock", "GPU times come from a model, host times from the recorded run");
  if (const auto why = unfit())
    out += fmt::format(
        "no verdict  the following holds only for the data that was "
        "read: {}\n",
        *why);
  return out;
}

bool ProfileReport::something_is_wrong() const {
  return std::ranges::any_of(subjects_,
                             [](const Subject& each) {
                               return std::ranges::any_of(
                                   each.profile.integrity.issues(),
                                   [](const IntegrityIssue& issue) { return issue.severity > Severity::kInfo; });
                             }) ||
         unfit();
}

std::optional<std::string> ProfileReport::unfit() const {
  for (const Subject& each : subjects_) {
    if (const auto why = withheld(each.profile, Conclusion::kGate))
      return (each.name.empty() ? "" : "the " + each.name + " profile: ") + *why;
  }
  return std::nullopt;
}

void ProfileReport::warn() const {
  if (something_is_wrong()) tell("integrity: {}\n", verdict());
}

Status ProfileReport::text(std::string_view body) const {
  return invocation_.emit_for_people(verdict_line() + std::string(body));
}

std::string ProfileReport::warning() const { return something_is_wrong() ? "integrity: " + verdict() + "\n\n" : ""; }

Status ProfileReport::markdown(std::string_view body) const { return invocation_.emit(warning() + std::string(body)); }

void ProfileReport::begin(json::Writer& writer) const {
  writer.begin_object().member("schema_version", kSchemaVersion).member("integrity", verdict()).key("integrity_issues");
  writer.begin_array();
  for (const Subject& each : subjects_) {
    const Table issues = integrity_issues(each.profile);
    for (const auto& row : issues.rows) {
      writer.begin_object();
      if (!each.name.empty()) writer.member("profile", each.name);
      for (size_t c = 0; c < row.size(); ++c) write_cell(writer.key(issues.columns[c].name), row[c]);
      writer.end_object();
    }
  }
  writer.end_array();
}

std::string ProfileReport::json_head() const {
  json::Writer writer;
  begin(writer);
  return std::string(writer.text());
}

Status ProfileReport::json(const Members& members, bool indented) const {
  json::Writer writer(indented);
  begin(writer);
  members(writer);
  return invocation_.emit(writer.end_object().take() + '\n');
}

Status ProfileReport::table(const Table& table, std::string_view body) const {
  switch (invocation_.format()) {
    case Format::kTable: return text(body);
    case Format::kJson: return json([&](json::Writer& writer) { write_rows(writer.key("rows"), table); }, false);
    case Format::kMarkdown: return markdown(to_markdown(table));
    case Format::kCsv: break;
  }
  return foreign(to_csv(table));
}

Status ProfileReport::foreign(std::string_view text) const {
  WL_TRY(invocation_.emit(text));
  warn();
  return {};
}

Result<int> ProfileReport::gate(const Gate& gate) const {
  if (const auto why = unfit(); why && invocation_.has("--fail-on") && !invocation_.has("--allow-damaged"))
    return gate.cannot_judge(unsupported(
        fmt::format("--fail-on cannot judge: {}; record again, or give --allow-damaged to judge what was read", *why)));
  return gate.exit_code();
}

Flag allow_damaged_flag() {
  return {"--allow-damaged", "", "let --fail-on judge data that is cut off or damaged, instead of reporting an error"};
}

}  // namespace warplens::cli
