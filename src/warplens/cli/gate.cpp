#include "warplens/cli/gate.h"

#include <algorithm>
#include <cstdio>

#include "warplens/base/files.h"

namespace warplens::cli {

Gate::Gate(const Invocation& invocation, std::string verb)
    : invocation_(invocation), name_("warplens " + std::move(verb)) {}

void Gate::add(GateCase each) { cases_.push_back(std::move(each)); }

bool Gate::crossed() const {
  return invocation_.has("--fail-on") &&
         std::ranges::any_of(cases_, [](const GateCase& each) { return each.outcome == Outcome::kFailed; });
}

Status Gate::write(const std::vector<GateCase>& cases) const {
  if (!invocation_.has("--junit")) return {};
  return write_file(invocation_.text("--junit"), to_junit(name_, cases), invocation_.has("--force"));
}

Result<int> Gate::exit_code() const {
  if (!invocation_.has("--fail-on")) return kExitOk;
  WL_TRY(write(cases_));
  if (!crossed()) {
    tell("{}: --fail-on {} is not crossed; {} judged\n", name_, invocation_.text("--fail-on"),
         cases_.size() == 1 ? "1 case was" : fmt::format("{} cases were", cases_.size()));
    return kExitOk;
  }
  const auto failed = std::ranges::find(cases_, Outcome::kFailed, &GateCase::outcome);
  const auto count = std::ranges::count(cases_, Outcome::kFailed, &GateCase::outcome);
  tell("{}: --fail-on {} is crossed{}: {}{}{}\n", name_, invocation_.text("--fail-on"),
       count > 1 ? fmt::format(" {} times, first", count) : "", failed->name, failed->message.empty() ? "" : ": ",
       failed->message);
  return kExitThreshold;
}

Status Gate::cannot_judge(const Status& why) const {
  std::fflush(stdout);  // what follows is an error, which is not buffered
  std::vector<GateCase> cases = cases_;
  const bool some_are = std::ranges::find(cases, Outcome::kNotJudged, &GateCase::outcome) != cases.end();
  for (GateCase& each : cases) {
    if (!some_are && each.outcome == Outcome::kPassed)
      each = {each.name, Outcome::kNotJudged, why.message(), each.detail};
  }
  if (cases.empty()) cases.push_back({"gate", Outcome::kNotJudged, why.message(), ""});
  WL_TRY(write(cases));
  return why;
}

std::optional<warplens::Level> failing_level(const Invocation& invocation) {
  const std::string text = invocation.text("--fail-on");
  for (const auto level : {warplens::Level::kInfo, warplens::Level::kWarn, warplens::Level::kCritical}) {
    if (text == level_name(level)) return level;
  }
  return {};
}

Flag junit_flag() { return {"--junit", "FILE", "with --fail-on: write the judged cases as JUnit XML"}; }

}  // namespace warplens::cli
