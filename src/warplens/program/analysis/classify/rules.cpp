#include "warplens/program/analysis/classify/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warplens/base/glob.h"
#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"
#include "warplens/trace/profile/job/meetings.h"

namespace warplens::analysis {
namespace {

/// In place of a glob: what job::names_communication says.
constexpr std::string_view kCommunicates = "@communication";

constexpr std::array<std::string_view, 4> kFields = {"range", "operator", "kernel", "tensor"};

/// The next word of `line`, removed from it.
std::string_view take_word(std::string_view& line) {
  line = trim(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

/// The last word of `line`, removed from it: globs may hold spaces.
std::string_view take_last_word(std::string_view& line) {
  line = trim(line);
  const size_t space = line.find_last_of(" \t");
  const std::string_view word = space == std::string_view::npos ? line : line.substr(space + 1);
  line = trim(line.substr(0, line.size() - word.size()));
  return word;
}

/// A comment starts with a '#' at the line's start or after a space: names may hold one.
std::string_view without_comment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
  }
  return line;
}

/// A line of a rule set, not yet of any class's number.
struct RuleLine {
  int number;
  RuleField field;
  std::string glob, value;
};

Result<RuleLine> read_line(int number, std::string_view line) {
  const std::string_view field = take_word(line), value = take_last_word(line);
  const auto known = std::find(kFields.begin(), kFields.end(), field);
  if (known == kFields.end()) return invalid_input(fmt::format("'{}' is none of {}", field, fmt::join(kFields, ", ")));
  if (line.empty() || value.empty()) return invalid_input("a rule is FIELD GLOB CLASS");
  const auto which = static_cast<RuleField>(known - kFields.begin());
  if (which == RuleField::kTensor && value != "yes" && value != "no")
    return invalid_input("a tensor rule ends with yes or no");
  return RuleLine{number, which, lower(line), std::string(value)};
}

Result<std::vector<RuleLine>> read_lines(std::string_view text) {
  std::vector<RuleLine> out;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(without_comment(line));
    if (line.empty()) continue;
    Result<RuleLine> read = read_line(number, line);
    if (!read.ok()) return read.status().in(fmt::format("line {}", number));
    out.push_back(std::move(read).value());
  }
  return out;
}

Status add(ClassRules& rules, const std::vector<RuleLine>& lines) {
  for (const RuleLine& line : lines) {
    if (line.field == RuleField::kTensor) {
      rules.rules.push_back({line.field, line.glob, static_cast<ClassId>(line.value == "yes")});
      continue;
    }
    auto name = std::find(rules.names.begin(), rules.names.end(), line.value);
    if (name == rules.names.end()) {
      if (rules.names.size() > UINT8_MAX)
        return invalid_input(fmt::format("line {}: more than 255 classes", line.number));
      rules.names.emplace_back(line.value);
      name = rules.names.end() - 1;
    }
    rules.rules.push_back({line.field, line.glob, static_cast<ClassId>(name - rules.names.begin())});
  }
  return {};
}

}  // namespace

bool fits_glob(std::string_view glob, std::string_view text) { return matches_glob(lower(glob), lower(text)); }

int ClassRules::find(RuleField field, std::string_view text) const {
  const std::string lowered = lower(text);
  for (const Rule& rule : rules) {
    if (rule.field != field) continue;
    if (rule.glob == kCommunicates ? job::names_communication(text) : matches_glob(rule.glob, lowered))
      return rule.value;
  }
  return -1;
}

Result<ClassRules> class_rules(std::string_view user_rules) {
  ClassRules rules;
  rules.names = {"unrecognised", "communication", "copy"};
  WL_ASSIGN(const std::vector<RuleLine> users, read_lines(user_rules));
  WL_TRY(add(rules, users));
  static const Result<std::vector<RuleLine>> shipped = read_lines(shipped_rules());
  if (!shipped.ok()) return shipped.status().in("shipped rules");
  WL_TRY(add(rules, *shipped).in("shipped rules"));
  return rules;
}

}  // namespace warplens::analysis
