#include "warplens/brief/brief.h"

#include <fmt/format.h>

#include <algorithm>

#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/brief/launches.h"
#include "warplens/brief/tried.h"
#include "warplens/brief/words.h"

namespace warplens::brief {
namespace {

using json::Value;

struct Plan {
  std::string_view verb, verdict, lists, empty, next;
};

constexpr Plan kPlans[] = {
#define WL_BRIEF(verb, verdict, lists, empty, next) {verb, verdict, lists, empty, next},
#include "warplens/brief/plans.def"
#undef WL_BRIEF
};

const Plan& plan_of(std::string_view verb) {
  static constexpr Plan none;
  const auto* const found = std::ranges::find(kPlans, verb, &Plan::verb);
  return found == std::end(kPlans) ? none : *found;
}

/// The text of "ranks.0.busy_share" or "#rows"; empty where the report has none.
std::string looked_up(const Value& report, std::string_view path) {
  if (path.starts_with('#')) {
    const Value* const list = report.find(path.substr(1));
    if (list && list->array()) return fmt::format("{}", list->array()->size());
    return list ? value_text("", *list) : "";
  }
  const Value* at = &report;
  std::string_view last;
  for (const std::string_view part : split(path, '.')) {
    const auto index = parse_int(std::string(part));
    last = part;
    if (at->array() && index)
      at = static_cast<size_t>(*index) < at->array()->size() ? &(*at->array())[*index] : nullptr;
    else at = at->find(part);
    if (!at) return "";
  }
  return value_text(last, *at);
}

/// Takes the word after a number off `clause`, without its plural's s: " ranks" becomes " rank".
std::string singular(std::string_view& clause) {
  const size_t end = std::min(clause.find(' ', 1), clause.size());
  std::string word(clause.substr(0, end));
  clause.remove_prefix(end);
  if (word.ends_with('s')) word.pop_back();
  return word;
}

/// A clause with its members filled in; empty where one is missing.
std::string filled(const Value& report, std::string_view clause) {
  std::string out;
  while (!clause.empty()) {
    const size_t open = clause.find('{'), close = clause.find('}');
    out += clause.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::string text = looked_up(report, clause.substr(open + 1, close - open - 1));
    if (text.empty()) return "";
    out += text;
    const bool is_one = clause.substr(open + 1, close - open - 1).starts_with('#') && text == "1";
    clause.remove_prefix(close + 1);
    if (is_one) out += singular(clause);
  }
  return out;
}

std::string verdict_of(const Plan& plan, const Value& report) {
  std::vector<std::string> clauses;
  std::string_view rest = plan.verdict;
  while (!rest.empty()) {
    const size_t end = rest.find("; ");
    if (std::string clause = filled(report, rest.substr(0, end)); !clause.empty()) clauses.push_back(std::move(clause));
    rest = end == std::string_view::npos ? "" : rest.substr(end + 2);
  }
  return join(clauses, "; ");
}

/// The elements of the plan's lists as details.
void add_lists(const Plan& plan, const Value& report, Brief& brief) {
  bool is_first = true;
  for (const std::string_view item : split(plan.lists, ' ')) {
    if (item.empty()) continue;
    const std::string_view name = item.substr(0, item.find(':'));
    const size_t most = name.size() == item.size()
                            ? SIZE_MAX
                            : static_cast<size_t>(parse_int(std::string(item.substr(name.size() + 1))).value_or(0));
    const auto& list = array_of(report, name);
    if (list.empty() && is_first && report.find(name) && !plan.empty.empty()) brief.not_known.emplace_back(plan.empty);
    is_first = false;
    for (size_t i = 0; i < std::min(list.size(), most); ++i)
      brief.details.push_back(name == "findings" ? finding_line(list[i]) : row_line(list[i]));
    if (name == "hangs" && !list.empty()) brief.ok = false;
  }
}

/// Damage of the data that was read.
void add_integrity(const Value& report, Brief& brief) {
  const std::string verdict = text_of(report, "integrity");
  const bool is_doubted = std::ranges::any_of(array_of(report, "integrity_issues"),
                                              [](const Value& issue) { return text_of(issue, "severity") != "info"; });
  if (is_doubted || (!verdict.empty() && !contains(verdict, "whole")))
    brief.not_known.push_back("integrity: " + verdict);
  for (const Value& missed : array_of(report, "not_checked"))
    brief.not_known.push_back("not checked: " + row_line(missed));
  for (const Value& file : array_of(report, "left_out")) brief.not_known.push_back("left out: " + row_line(file));
  if (const Value* const more = report.find("more"); more && more->boolean() && *more->boolean())
    brief.not_known.emplace_back("more rows were left out: raise --limit");
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n')) {
    if (std::string trimmed(trim(line)); !trimmed.empty()) out.push_back(std::move(trimmed));
  }
  return out;
}

std::string cut(const std::string& text, size_t length) {
  if (text.size() <= length) return text;
  size_t end = length;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // never inside a character
  return text.substr(0, end) + "...";
}

std::string written(const Brief& brief, const std::string& resource) {
  json::Writer w;
  w.begin_object().member("schema_version", kSchemaVersion).member("ok", brief.ok).member("verdict", brief.verdict);
  w.list("details", brief.details).list("not_known", brief.not_known);
  w.member("next_step", brief.next_step).member("resource", resource);
  return w.end_object().take();
}

}  // namespace

Brief of_report(std::string_view verb, int exit_code, const Value& report) {
  const Plan& plan = plan_of(verb);
  Brief brief{.ok = exit_code == 0, .verdict = verdict_of(plan, report), .next_step = std::string(plan.next)};
  if (report.find("tried")) {
    add_tried(report, brief);
    return brief;
  }
  add_lists(plan, report, brief);
  if (report.find("launches") && plan.verdict.starts_with("{#launches}")) add_launches(report, brief);
  if (report.find("defects")) add_defects(report, brief);
  for (const Value& judgement : array_of(report, "judgements")) add_judgement(judgement, brief);
  std::vector<const Value*> findings;
  for (const Value& each : array_of(report, "findings")) {
    findings.push_back(&each);
    brief.ok = brief.ok && text_of(each, "severity") != "critical";
  }
  if (const std::string advice = best_advice(findings); !advice.empty()) brief.next_step = advice;
  add_integrity(report, brief);
  return brief;
}

Brief of_text(std::string_view verb, int exit_code, std::string_view text) {
  const std::vector<std::string> lines = lines_of(text);
  return {.ok = exit_code == 0,
          .verdict = lines.empty() ? fmt::format("{} printed nothing", verb) : lines[0],
          .details = lines.size() < 2
                         ? std::vector<std::string>{}
                         : std::vector<std::string>{join(std::vector(lines.begin() + 1, lines.end()), " ")}};
}

Brief of_messages(std::string_view verb, int exit_code, std::string_view messages) {
  const std::vector<std::string> lines = lines_of(messages);
  const std::string ended =
      exit_code == 0 ? fmt::format("{} ended well", verb) : fmt::format("{} ended with exit code {}", verb, exit_code);
  return {.ok = exit_code == 0,
          .verdict = lines.empty() ? ended : lines[0],
          .details = lines.empty() ? lines : std::vector(lines.begin() + 1, lines.end())};
}

Brief of_failure(std::string_view verb, std::string_view error) {
  const std::vector<std::string> lines = lines_of(error);
  return {.ok = false,
          .verdict = lines.empty() ? fmt::format("{} failed", verb) : lines[0],
          .details = lines.size() < 2 ? std::vector<std::string>{} : std::vector(lines.begin() + 1, lines.end()),
          .not_known = {"nothing was measured, because the run failed"},
          .next_step = "Fix the error, then run it again."};
}

std::string to_json(Brief brief, const std::string& resource) {
  constexpr size_t kRoomForCount = 60, kMostUnknown = 4, kFirstCut = 600, kLastCut = 20;
  const size_t room = kLimitBytes - kRoomForCount;
  size_t dropped = 0;
  while (written(brief, resource).size() > room && brief.details.size() > 1) {
    brief.details.pop_back();
    ++dropped;
  }
  for (size_t longest = kFirstCut; written(brief, resource).size() > room && longest >= kLastCut; longest /= 2) {
    if (brief.not_known.size() > kMostUnknown) {
      const size_t more = brief.not_known.size() - kMostUnknown;
      brief.not_known.resize(kMostUnknown);
      brief.not_known.back() = fmt::format("and {} more unknowns in the whole report", more + 1);
    }
    brief.verdict = cut(brief.verdict, longest);
    brief.next_step = cut(brief.next_step, longest);
    for (std::vector<std::string>* texts : {&brief.details, &brief.not_known}) {
      for (std::string& text : *texts) text = cut(text, longest);
    }
  }
  if (dropped > 0) brief.details.push_back(fmt::format("({} more in the whole report)", dropped));
  return written(brief, resource) + "\n";
}

}  // namespace warplens::brief
