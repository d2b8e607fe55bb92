#include "warplens/program/analysis/operators/cause_table.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/python_stack.h"
#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {
namespace {

/// Names the code around an operator.
class Namer {
 public:
  Namer(const Profile& profile, const Causes& causes, CauseBy by, size_t depth)
      : p_(profile), causes_(causes), by_(by), depth_(depth) {
    if (by == CauseBy::kModule || by == CauseBy::kLine) {
      frames_ = frame_forest(profile);
      frame_of_ = operator_frames(profile, frames_);
    }
  }

  std::string name(uint32_t op) const {
    return by_ == CauseBy::kAnnotation ? annotation(op) : by_ == CauseBy::kModule ? module(op) : line(op);
  }

 private:
  /// The innermost range around `op`, a step only where there is nothing else.
  std::string annotation(uint32_t op) const {
    std::string step = "(no annotation)";
    for (uint32_t at = op; at != kNone; at = causes_.operators.parent[at]) {
      if (p_.operators.kind[at] != OperatorKind::kRange) continue;
      const std::string_view text = p_.text(p_.operators.name[at]);
      if (!step_number(text)) return std::string(text);
      step = "ProfilerStep*";
    }
    return step;
  }

  std::string module(uint32_t op) const {
    std::string path = module_path(p_, frames_, frame_of_[op]);
    if (path.empty()) path = p_.text(p_.operators.module[op]);
    if (path.empty()) return outside(op);
    size_t end = 0;
    for (size_t level = 0; depth_ != 0 && end != std::string::npos; ++level) {
      if (level == depth_) return path.substr(0, end);
      end = path.find('/', end == 0 ? 0 : end + 1);
    }
    return path;
  }

  std::string line(uint32_t op) const {
    const uint32_t frame = enclosing_user_frame(p_, frames_, frame_of_[op]);
    if (frame != kNone) return std::string(p_.text(p_.python_frames.name[frame]));
    const std::string_view stack = p_.text(p_.operators.call_stack[op]);
    for (const std::string_view text : split(stack, ';')) {
      if (is_user_frame(text)) return std::string(text);
    }
    return outside(op);
  }

  /// What lies outside modules or user code still has its annotation, and is told forward from backward.
  std::string outside(uint32_t op) const {
    const std::string range = annotation(op);
    if (!range.starts_with('(') && range != "ProfilerStep*") return fmt::format("[{}]", range);
    const char* what = by_ == CauseBy::kModule ? "module" : "line";
    return causes_.backward.is_backward[op] ? "(backward without a forward operator)" : fmt::format("(no {})", what);
  }

  const Profile& p_;
  const Causes& causes_;
  CauseBy by_;
  size_t depth_;
  Forest frames_;
  std::vector<uint32_t> frame_of_;
};

std::string missing_data(const Profile& p, CauseBy by) {
  if ((by == CauseBy::kModule || by == CauseBy::kLine) && p.python_frames.size() == 0) {
    return "the trace has no Python stacks: record it with profile(with_stack=True) to see modules and lines";
  }
  return {};
}

/// The rows, each found by a number of what names it: a kernel's name, a class, or an operator.
class Rows {
 public:
  template <typename Name>
  CauseRow& at(uint64_t number, Name name) {
    const auto [known, fresh] = by_number_.try_emplace(number, 0);
    if (fresh) {
      const auto [named, first] = by_name_.try_emplace(name(), static_cast<uint32_t>(rows.size()));
      if (first) rows.push_back({named->first});
      known->second = named->second;
    }
    return rows[known->second];
  }
  std::vector<CauseRow> rows;

 private:
  std::unordered_map<uint64_t, uint32_t> by_number_;
  std::unordered_map<std::string, uint32_t> by_name_;
};

}  // namespace

CauseTable cause_table(const Profile& profile, const Causes& causes, const Classes& classes, const ClassRules& rules,
                       CauseBy by, size_t depth) {
  const TimedScope timed("device time by cause");
  constexpr uint64_t kNoOperator = uint64_t{1} << 33, kNoLaunch = kNoOperator + 1;
  Namer namer(profile, causes, by, depth);
  CauseTable table;
  table.missing = missing_data(profile, by);
  Rows rows;
  const auto& t = profile.device_events;
  const auto row_of = [&](uint32_t event) -> CauseRow& {
    const uint32_t op = causes.links.event_operator[event];
    if (by == CauseBy::kKernel)
      return rows.at(static_cast<uint32_t>(t.name[event]), [&] { return std::string(profile.text(t.name[event])); });
    if (by == CauseBy::kClass)
      return rows.at(classes.of_event[event], [&] { return rules.names[classes.of_event[event]]; });
    if (op != kNone) return rows.at(causes.backward.cause[op], [&] { return namer.name(causes.backward.cause[op]); });
    const bool launched = causes.links.event_call[event] != kNone;
    return rows.at(launched ? kNoOperator : kNoLaunch,
                   [&] { return launched ? "(no operator)" : "(launch not in the trace)"; });
  };
  for (uint32_t event = 0; event < t.size(); ++event) {
    if (!is_device_work(t.kind[event])) continue;
    CauseRow& out = row_of(event);
    const uint32_t op = causes.links.event_operator[event];
    out.class_name = rules.names[classes.of_event[event]];
    out.tensor_use = classes.tensor_use[event];
    ++out.count;
    out.device_ns += t.duration_ns[event];
    table.device_ns += t.duration_ns[event];
    out.longest_ns = std::max(out.longest_ns, t.duration_ns[event]);
    (op != kNone && causes.backward.is_backward[op] ? out.backward_ns : out.forward_ns) += t.duration_ns[event];
  }
  table.rows = std::move(rows.rows);
  std::sort(table.rows.begin(), table.rows.end(), [](const CauseRow& a, const CauseRow& b) {
    return a.device_ns != b.device_ns ? a.device_ns > b.device_ns : a.name < b.name;
  });
  return table;
}

}  // namespace warplens::analysis
