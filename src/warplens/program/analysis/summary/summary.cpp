#include "warplens/program/analysis/summary/summary.h"

#include <algorithm>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/steps/step_times.h"
#include "warplens/program/analysis/summary/busy.h"

namespace warplens::analysis {
namespace {

/// Sums by string id, in a table as long as the strings.
class ByName {
 public:
  explicit ByName(const Profile& profile) : p_(profile), index_(profile.strings.size(), kNone) {}

  Share& at(StringId name) { return shares[index_of(name)]; }
  std::vector<Share> shares;

 protected:
  uint32_t index_of(StringId name) {
    uint32_t& index = index_[static_cast<uint32_t>(name)];
    if (index == kNone) {
      index = static_cast<uint32_t>(shares.size());
      shares.push_back({std::string(p_.text(name))});
    }
    return index;
  }

 private:
  const Profile& p_;
  std::vector<uint32_t> index_;
};

/// The same of device events, whose shares get the class of most of their time.
class ByNameAndClass : public ByName {
 public:
  ByNameAndClass(const Profile& profile, const ClassRules& rules) : ByName(profile), rules_(rules) {}

  Share& add(StringId name, ClassId which, int64_t ns) {
    const uint32_t index = index_of(name);
    class_ns_.resize(shares.size() * rules_.names.size(), kNever);
    int64_t& of_class = class_ns_[index * rules_.names.size() + which];
    of_class = std::max<int64_t>(of_class, 0) + ns;
    ++shares[index].count;
    shares[index].device_ns += ns;
    return shares[index];
  }

  std::vector<Share> take() {
    const auto count = static_cast<ptrdiff_t>(rules_.names.size());
    for (size_t i = 0; i < shares.size(); ++i) {
      const auto first = class_ns_.begin() + static_cast<ptrdiff_t>(i) * count;
      shares[i].class_name = rules_.names[static_cast<size_t>(std::max_element(first, first + count) - first)];
    }
    return std::move(shares);
  }

 private:
  static constexpr int64_t kNever = -1;
  const ClassRules& rules_;
  std::vector<int64_t> class_ns_;  // of each share, by class
};

void sort_by_time(std::vector<Share>& shares) {
  std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return a.device_ns != b.device_ns ? a.device_ns > b.device_ns : a.name < b.name;
  });
}

bool does_matrices(const std::string& class_name) {
  return class_name == "gemm" || class_name == "attention" || class_name == "convolution";
}

void add_device_time(const Profile& p, const RowLinks& op_of, const ClassRules& rules, Summary& out) {
  const Classes classes = classify(p, op_of, rules);
  std::vector<bool> matrices(rules.names.size());
  for (size_t c = 0; c < matrices.size(); ++c) matrices[c] = does_matrices(rules.names[c]);
  std::vector<Share> by_class(rules.names.size());
  ByNameAndClass kernels(p, rules), operators(p, rules);
  const TimedScope timed("sum device time");
  const auto& t = p.device_events;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (!is_device_work(t.kind[row])) continue;
    const int64_t ns = t.duration_ns[row];
    const ClassId which = classes.of_event[row];
    out.work_ns += ns;
    ++by_class[which].count;
    by_class[which].device_ns += ns;
    kernels.add(t.name[row], which, ns).tensor_use = classes.tensor_use[row];
    operators.add(op_of[row] == kNone ? StringId::kEmpty : p.operators.name[op_of[row]], which, ns);
    const bool tensor = classes.tensor_use[row] == TensorUse::kYes;
    if (tensor) out.tensor_ns += ns;
    if (classes.tensor_use[row] == TensorUse::kNo) out.no_tensor_ns += ns;
    if (matrices[which]) {
      out.matrix_ns += ns;
      out.matrix_tensor_ns += tensor ? ns : 0;
    }
  }
  for (size_t c = 0; c < by_class.size(); ++c) {
    if (by_class[c].count) {
      by_class[c].name = by_class[c].class_name = rules.names[c];
      out.classes.push_back(by_class[c]);
    }
  }
  out.kernels = kernels.take();
  out.operators = operators.take();
  sort_by_time(out.classes);
  sort_by_time(out.kernels);
  sort_by_time(out.operators);
}

/// The window of a rank. Where nothing marks steps it is the run, as in every other view. Some writers' window leaves
/// out much of the device's work: then it reaches over all of that.
Span window_of(const Profile& p, uint32_t rank, const std::vector<TimeSet>& busy, const Span& run) {
  if (run.end_ns > run.start_ns) return run;
  constexpr double kMuchOutside = 0.02;  // of the work: the edges of any recording are not sharp
  Span window{p.ranks.window_start_ns[rank], p.ranks.window_end_ns[rank]}, all = window;
  int64_t work_ns = 0, inside_ns = 0;
  for (uint32_t d = 0; d < busy.size(); ++d) {
    if (p.devices.rank[d] != rank || busy[d].empty()) continue;
    work_ns += length_ns(busy[d]);
    inside_ns += length_ns(clip(busy[d], window.start_ns, window.end_ns));
    all.start_ns = std::min(all.start_ns, busy[d].front().start_ns);
    all.end_ns = std::max(all.end_ns, busy[d].back().end_ns);
  }
  return static_cast<double>(work_ns - inside_ns) > kMuchOutside * static_cast<double>(work_ns) ? all : window;
}

void add_devices(const Profile& p, const StepSet& steps, const RowLinks& calls, size_t slots, Summary& out) {
  const std::vector<TimeSet> busy = busy_times(p);
  std::vector<DeviceSummary> devices(busy.size());
  const auto& t = p.device_events;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (is_device_work(t.kind[row])) {
      ++devices[t.device[row]].count;
      devices[t.device[row]].work_ns += t.duration_ns[row];
    }
  }
  std::vector<Span> runs(out.ranks.size());  // none where steps are marked, or where a cut left a part of the run
  if (p.integrity.find("left-out-by-the-cut") == nullptr && steps.empty()) {
    for (uint32_t rank = 0; rank < runs.size(); ++rank) runs[rank] = run_time(p, calls, rank);
  }
  std::vector<std::optional<Span>> windows(out.ranks.size());
  for (uint32_t d = 0; d < devices.size(); ++d) {
    if (busy[d].empty()) continue;
    const uint32_t rank = p.devices.rank[d];
    devices[d].device = d;
    devices[d].busy_ns = length_ns(busy[d]);
    devices[d].start_ns = busy[d].front().start_ns;
    devices[d].end_ns = busy[d].back().end_ns;
    if (!windows[rank]) windows[rank] = window_of(p, rank, busy, runs[rank]);
    const Span& window = *windows[rank];
    out.ranks[rank].span_ns = window.end_ns - window.start_ns;
    devices[d].activity = busy_shares(busy[d], window.start_ns, window.end_ns, slots);
    out.ranks[rank].devices.push_back(std::move(devices[d]));
  }
}

void add_counts(const Profile& p, Summary& out) {
  std::vector<int64_t> operators(p.threads.size()), calls(p.threads.size());
  for (const uint32_t thread : p.operators.thread) ++operators[thread];
  for (const uint32_t thread : p.calls.thread) ++calls[thread];
  for (uint32_t thread = 0; thread < p.threads.size(); ++thread) {
    RankSummary& rank = out.ranks[p.threads.rank[thread]];
    rank.operators += operators[thread];
    rank.calls += calls[thread];
    rank.threads += operators[thread] + calls[thread] != 0;
  }
  const auto& t = p.allocations;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (t.device_type[row] == 0) continue;
    RankSummary& rank = out.ranks[p.threads.rank[t.thread[row]]];
    rank.peak_allocated_bytes = std::max(rank.peak_allocated_bytes, t.total_allocated_bytes[row]);
    rank.peak_reserved_bytes = std::max(rank.peak_reserved_bytes, t.total_reserved_bytes[row]);
  }
}

void add_memory_owners(const Profile& p, const StepSet& steps, Summary& out) {
  if (p.allocations.size() == 0) return;
  const Forest operators = operator_forest(p), frames = frame_forest(p);
  for (RankSummary& rank : out.ranks) {
    rank.peak = memory_peak(p, rank.rank, operators, frames);
    if (rank.peak) rank.peak_step = step_at(steps, rank.rank, rank.peak->time_ns);
  }
}

/// Operators by host time without what is inside them.
void add_host_time(const Profile& p, Summary& out) {
  const Forest forest = operator_forest(p);
  ByName names(p);
  for (const uint32_t row : forest.order) {
    Share& own = names.at(p.operators.name[row]);
    ++own.count;
    own.device_ns += p.operators.duration_ns[row];
    if (forest.parent[row] != kNone)
      names.at(p.operators.name[forest.parent[row]]).device_ns -= p.operators.duration_ns[row];
  }
  out.host_operators = std::move(names.shares);
  sort_by_time(out.host_operators);
}

}  // namespace

Summary summarise(const Profile& profile, const RowLinks& operator_of_event, const ClassRules& rules,
                  size_t activity_slots) {
  Summary out;
  for (uint32_t rank = 0; rank < profile.ranks.size(); ++rank) {
    out.ranks.push_back({rank});
    out.ranks.back().span_ns = profile.ranks.window_end_ns[rank] - profile.ranks.window_start_ns[rank];
  }
  add_device_time(profile, operator_of_event, rules, out);
  const RowLinks calls = link_device_calls(profile);
  const StepSet steps = step_set(profile, calls);
  add_devices(profile, steps, calls, activity_slots, out);
  for (RankSummary& rank : out.ranks) rank.steps = step_summary(steps, rank.rank);
  out.step_source = steps.source;
  add_counts(profile, out);
  add_memory_owners(profile, steps, out);
  out.phases = phase_summaries(profile);
  if (out.work_ns == 0) add_host_time(profile, out);
  return out;
}

}  // namespace warplens::analysis
