#include "warplens/brief/tried.h"

#include <fmt/format.h>

#include <cmath>

#include "warplens/base/units.h"
#include "warplens/brief/words.h"

namespace warplens::brief {
namespace {

using json::Value;

bool flag_of(const Value& object, std::string_view key) {
  const Value* const flag = object.find(key);
  return flag && flag->boolean() && *flag->boolean();
}

std::string line_of(const Value& change) {
  return fmt::format("{} less, {}: {}", format_share(number_of(change, "saving_fraction")), text_of(change, "results"),
                     text_of(change, "change"));
}

std::string line_of_finding(const Value& finding) {
  const std::string bound = finding.find("bound_fraction")
                                ? fmt::format(" (at most {})", format_share(number_of(finding, "bound_fraction")))
                                : "";
  return fmt::format("{}: {}{}", text_of(finding, "id"),
                     flag_of(finding, "tried") ? "tried, nothing helps" : "no change of it is tried", bound);
}

}  // namespace

void add_tried(const Value& report, Brief& brief) {
  const auto& changes = array_of(report, "tried");
  const Value* best = report.find("together");
  for (const Value& change : changes) {
    if (!flag_of(change, "helps")) continue;
    if (!best) best = &change;
    if (&change != best) brief.details.push_back(line_of(change));
  }
  const std::string kernel = fmt::format("{}, {}", text_of(report, "kernel"), format_ns(number_of(report, "time_ns")));
  if (best) {
    brief.verdict = fmt::format("{}: {}", kernel, line_of(*best));
    if (const std::string patch = text_of(*best, "patch"); !patch.empty())
      brief.details.insert(brief.details.begin(), patch);
    constexpr double kModelled = 0.03;  // a smaller difference between modelled times says nothing
    const bool is_sure = text_of(report, "where") != "modelled" || number_of(*best, "saving_fraction") >= kModelled;
    brief.next_step = is_sure
                          ? "Apply the change, check the kernel for defects, then profile it again."
                          : "The gain is within the model's error: change the algorithm or the data's layout instead.";
  } else {
    brief.verdict = fmt::format("{}: {} changes tried, nothing helps", kernel, changes.size());
    brief.next_step = "Profile the kernel: only a change of its algorithm or of its data's layout is left.";
  }
  for (const Value& finding : array_of(report, "findings")) {
    if (!finding.find("saving_fraction")) brief.details.push_back(line_of_finding(finding));
  }
  if (text_of(report, "where") == "modelled")
    brief.not_known.emplace_back("times come from a model, not from a GPU: a difference of a few percent says nothing");
}

}  // namespace warplens::brief
