#include "warplens/program/analysis/classify/classify.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/causes.h"

namespace warplens::analysis {
namespace {

constexpr int kNoClass = -1;

/// Answers of one field of the rules, each name asked once.
class Asked {
 public:
  Asked(const Profile& profile, const ClassRules& rules, RuleField field) : p_(profile), rules_(rules), field_(field) {}
  int operator()(StringId name) {
    if (name == last_ && answered_) return last_answer_;
    const auto [at, added] = answers_.try_emplace(name, kNoClass);
    if (added) at->second = rules_.find(field_, p_.text(name));
    last_ = name;
    answered_ = true;
    return last_answer_ = at->second;
  }

 private:
  const Profile& p_;
  const ClassRules& rules_;
  RuleField field_;
  std::unordered_map<StringId, int> answers_;
  StringId last_ = StringId::kEmpty;
  bool answered_ = false;
  int last_answer_ = kNoClass;
};

/// The ranges that a rule names, by thread and start; they do not overlap but may nest (the outer one is found).
class NamedRanges {
 public:
  NamedRanges(const Profile& p, const ClassRules& rules) : p_(p), by_thread_(p.threads.size()) {
    Asked range(p, rules, RuleField::kRange);
    for (uint32_t row = 0; row < p.operators.size(); ++row) {
      if (p.operators.kind[row] != OperatorKind::kRange) continue;
      const int found = range(p.operators.name[row]);
      if (found < 0) continue;
      const int64_t start_ns = p.operators.start_ns[row];
      by_thread_[p.operators.thread[row]].push_back({start_ns, start_ns + p.operators.duration_ns[row], found});
    }
    for (auto& ranges : by_thread_)
      std::sort(ranges.begin(), ranges.end(), [](const Named& a, const Named& b) { return a.start_ns < b.start_ns; });
  }

  int around(uint32_t op) const {
    const std::vector<Named>& ranges = by_thread_[p_.operators.thread[op]];
    const int64_t start_ns = p_.operators.start_ns[op];
    auto at = std::upper_bound(ranges.begin(), ranges.end(), start_ns,
                               [](int64_t t, const Named& r) { return t < r.start_ns; });
    for (int tries = 0; at != ranges.begin() && tries < kDeepest; ++tries) {
      if ((--at)->end_ns > start_ns) return at->value;
    }
    return kNoClass;
  }

 private:
  static constexpr int kDeepest = 8;  // nested ranges looked at
  struct Named {
    int64_t start_ns, end_ns;
    int value;
  };
  const Profile& p_;
  std::vector<std::vector<Named>> by_thread_;
};

/// The class of the nearest operator around `op` that a rule names.
int class_of_ancestors(const Profile& p, const Forest& operators, uint32_t op, Asked& asked) {
  for (op = operators.parent[op]; op != kNone; op = operators.parent[op]) {
    if (const int found = asked(p.operators.name[op]); found >= 0) return found;
  }
  return kNoClass;
}

}  // namespace

Classes classify(const Profile& profile, const RowLinks& event_operator, const ClassRules& rules) {
  const TimedScope timed("classify kernels");
  const NamedRanges ranges(profile, rules);
  Asked kernel(profile, rules, RuleField::kKernel), tensor(profile, rules, RuleField::kTensor),
      by_operator(profile, rules, RuleField::kOperator);
  const auto& t = profile.device_events;
  Classes out{std::vector<ClassId>(t.size(), kUnrecognised), std::vector<TensorUse>(t.size(), TensorUse::kUnknown)};
  std::vector<uint32_t> unnamed;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (!is_device_work(t.kind[row])) continue;
    const int by_name = kernel(t.name[row]);
    const uint32_t op = event_operator[row];
    int found = t.collective[row] != kNone || by_name == kCommunication ? kCommunication
                : t.kind[row] != DeviceEventKind::kKernel               ? kCopy
                                                                        : kNoClass;
    if (found < 0 && op != kNone) found = ranges.around(op);
    if (found < 0 && op != kNone && t.graph_id[row] == 0) found = by_operator(profile.operators.name[op]);
    if (found < 0) found = by_name;
    if (found >= 0) out.of_event[row] = static_cast<ClassId>(found);
    else if (op != kNone) unnamed.push_back(row);
    const int uses = t.kind[row] == DeviceEventKind::kKernel ? tensor(t.name[row]) : 0;
    out.tensor_use[row] = uses < 0 ? TensorUse::kUnknown : uses ? TensorUse::kYes : TensorUse::kNo;
  }
  if (unnamed.empty()) return out;
  const Forest operators = operator_forest(profile);
  for (const uint32_t row : unnamed) {
    if (const int found = class_of_ancestors(profile, operators, event_operator[row], by_operator); found >= 0)
      out.of_event[row] = static_cast<ClassId>(found);
  }
  return out;
}

}  // namespace warplens::analysis
