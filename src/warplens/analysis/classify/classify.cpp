#include "warplens/analysis/classify/classify.h"

#include <unordered_map>

#include "warplens/base/timing.h"

namespace warplens::analysis {
namespace {

/// Answers of one field of the rules, each name asked once.
class Asked {
 public:
  Asked(const Profile& profile, const ClassRules& rules, RuleField field) : p_(profile), rules_(rules), field_(field) {}
  int operator()(StringId name) {
    const auto [at, added] = answers_.try_emplace(name, -1);
    if (added) at->second = rules_.find(field_, p_.text(name));
    return at->second;
  }

 private:
  const Profile& p_;
  const ClassRules& rules_;
  RuleField field_;
  std::unordered_map<StringId, int> answers_;
};

/// For each operator the class that it or the nearest one above it is named with; -1 where no rule fits.
struct OperatorClasses {
  std::vector<int16_t> by_range, by_operator;
};

OperatorClasses classify_operators(const Profile& p, const Forest& operators, const ClassRules& rules) {
  Asked range(p, rules, RuleField::kRange), op(p, rules, RuleField::kOperator);
  OperatorClasses out{std::vector<int16_t>(p.operators.size()), std::vector<int16_t>(p.operators.size())};
  for (const uint32_t row : operators.order) {
    const uint32_t parent = operators.parent[row];
    int by_range = p.operators.kind[row] == OperatorKind::kRange ? range(p.operators.name[row]) : -1;
    int by_operator = op(p.operators.name[row]);
    if (by_range < 0 && parent != kNone) by_range = out.by_range[parent];
    if (by_operator < 0 && parent != kNone) by_operator = out.by_operator[parent];
    out.by_range[row] = static_cast<int16_t>(by_range), out.by_operator[row] = static_cast<int16_t>(by_operator);
  }
  return out;
}

}  // namespace

Classes classify(const Profile& profile, const Causes& causes, const ClassRules& rules) {
  const TimedScope timed("classify kernels");
  const OperatorClasses of_operator = classify_operators(profile, causes.operators, rules);
  Asked kernel(profile, rules, RuleField::kKernel), tensor(profile, rules, RuleField::kTensor);
  const auto& t = profile.device_events;
  Classes out{std::vector<ClassId>(t.size(), kUnrecognised), std::vector<TensorUse>(t.size(), TensorUse::kUnknown)};
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (!is_device_work(t.kind[row])) continue;
    const int by_name = kernel(t.name[row]);
    const uint32_t op = causes.links.event_operator[row];
    int found = t.collective[row] != kNone || by_name == kCommunication ? kCommunication : t.kind[row] != DeviceEventKind::kKernel ? kCopy : -1;
    if (found < 0 && op != kNone) found = of_operator.by_range[op];
    if (found < 0 && op != kNone && t.graph_id[row] == 0) found = of_operator.by_operator[op];
    if (found < 0) found = by_name;
    if (found >= 0) out.of_event[row] = static_cast<ClassId>(found);
    const int uses = t.kind[row] == DeviceEventKind::kKernel ? tensor(t.name[row]) : 0;
    out.tensor_use[row] = uses < 0 ? TensorUse::kUnknown : uses ? TensorUse::kYes : TensorUse::kNo;
  }
  return out;
}

}  // namespace warplens::analysis
