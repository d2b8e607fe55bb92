#include "warplens/program/analysis/operators/torch_events.h"

#include <algorithm>
#include <array>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/id_index.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/operators/memory_sums.h"

namespace warplens::analysis {
namespace {

constexpr std::array<std::string_view, 7> kDropped = {"[OutOfMemory]",
                                                      "profiler::_record_function_enter",
                                                      "profiler::_record_function_enter_new",
                                                      "profiler::_record_function_exit",
                                                      "aten::is_leaf",
                                                      "aten::output_nr",
                                                      "aten::_version"};

class Builder {
 public:
  explicit Builder(const Profile& profile)
      : p_(profile),
        stopping_thread_(stopping_threads(profile)),
        operator_of_id_(profile.operators.external_id.values(), profile.ranks.size(),
                        [&](size_t row) { return rank_of_operator(profile, row); }) {}

  TorchEvents build(bool python_frames) {
    sum_kernels();
    add_operators();
    if (python_frames) add_python();
    add_calls();
    add_overheads();
    add_memory();
    nest();
    return std::move(events_);
  }

 private:
  /// Device time of what each operator launched itself.
  void sum_kernels() {
    own_kernels_.assign(p_.operators.size(), 0);
    const auto& t = p_.device_events;
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (t.kind[row] == DeviceEventKind::kRange) continue;
      const uint32_t op = operator_of_id_.find(rank_of_event(p_, row), t.external_id[row]);
      if (op != kNone) own_kernels_[op] += t.duration_ns[row];
    }
  }

  void add(TorchSource source, uint32_t row, StringId name, int64_t start_ns, int64_t duration_ns, uint32_t thread,
           int64_t own_ns) {
    events_.source.push_back(source);
    events_.source_row.push_back(row);
    events_.name.push_back(name);
    events_.start_ns.push_back(start_ns);
    events_.duration_ns.push_back(duration_ns);
    events_.thread.push_back(thread);
    own_ns_.push_back(own_ns);
  }

  bool dropped(StringId name) const { return std::find(dropped_.begin(), dropped_.end(), name) != dropped_.end(); }

  void add_operators() {
    for (const std::string_view name : kDropped) {
      if (const StringId id = p_.strings.find(name); id != StringId::kEmpty) dropped_.push_back(id);
    }
    const auto& t = p_.operators;
    StringId any_step = StringId::kEmpty;
    for (uint32_t row = 0; row < t.size(); ++row) {
      StringId name = t.name[row];
      if (t.kind[row] == OperatorKind::kInstant || dropped(name)) continue;
      if (t.kind[row] == OperatorKind::kRange && p_.text(name).starts_with("ProfilerStep#")) {
        if (any_step == StringId::kEmpty) any_step = name;
        name = any_step;
      }
      add(TorchSource::kOperator, row, name, t.start_ns[row], t.duration_ns[row], t.thread[row], own_kernels_[row]);
    }
  }

  void add_python() {
    const auto& t = p_.python_frames;
    for (uint32_t row = 0; row < t.size(); ++row)
      add(TorchSource::kPython, row, t.name[row], t.start_ns[row], t.duration_ns[row], t.thread[row], 0);
  }

  /// The kernels of the operator that a correlation id names by accident.
  int64_t kernels_of_id(uint32_t rank, int64_t id) const {
    const uint32_t op = operator_of_id_.find(rank, id);
    return op == kNone ? 0 : own_kernels_[op];
  }

  void add_calls() {
    const auto& t = p_.calls;
    for (uint32_t row = 0; row < t.size(); ++row) {
      const uint32_t rank = rank_of_call(p_, row);
      const uint32_t op = operator_of_id_.find(rank, t.external_id[row]);
      const uint32_t thread = op != kNone ? p_.operators.thread[op] : stopping_thread_[rank];
      add(TorchSource::kCall, row, t.name[row], t.start_ns[row], t.duration_ns[row], thread,
          op != kNone ? 0 : kernels_of_id(rank, t.correlation[row]));
    }
  }

  void add_overheads() {
    const auto& t = p_.overheads;
    const std::vector<int64_t> ids = overhead_ids(p_, stopping_thread_);
    for (uint32_t row = 0; row < t.size(); ++row) {
      const uint32_t rank = p_.threads.rank[t.thread[row]];
      add(TorchSource::kOverhead, row, t.name[row], t.start_ns[row], t.duration_ns[row], stopping_thread_[rank],
          kernels_of_id(rank, ids[row]));
    }
  }

  void add_memory() {
    events_.cpu_bytes.assign(events_.size(), 0);
    events_.device_bytes.assign(events_.size(), 0);
    if (p_.allocations.size() == 0) return;
    const StringId name = p_.strings.find("[memory]");
    for (uint32_t rank = 0; rank < p_.ranks.size(); ++rank) {
      MemorySums sums(p_, rank);
      for (size_t i = 0; i < events_.cpu_bytes.size(); ++i) {
        if (p_.threads.rank[events_.thread[i]] != rank || events_.source[i] == TorchSource::kMemory) continue;
        const MemoryChange change = sums.within(events_.start_ns[i], events_.start_ns[i] + events_.duration_ns[i]);
        events_.cpu_bytes[i] = change.cpu_bytes;
        events_.device_bytes[i] = change.device_bytes;
      }
      for (const uint32_t row : sums.uncovered()) {
        add(TorchSource::kMemory, row, name, p_.allocations.time_ns[row], 0, p_.allocations.thread[row], 0);
        const MemoryChange change = memory_change(p_, row);
        events_.cpu_bytes.push_back(change.cpu_bytes);
        events_.device_bytes.push_back(change.device_bytes);
      }
    }
  }

  /// Builds the trees, merges, and sums from the leaves up.
  void nest() {
    const Forest forest = build_forest(events_.start_ns, events_.duration_ns, events_.thread, p_.threads.size());
    std::vector<uint32_t>& parent = events_.parent = forest.parent;
    std::vector<uint32_t> children(events_.size(), 0), into(events_.size());
    for (const uint32_t row : forest.parent) {
      if (row != kNone) ++children[row];
    }
    events_.merged.assign(events_.size(), false);
    for (const uint32_t row : forest.order) {
      into[row] = row;
      if (parent[row] == kNone) continue;
      const uint32_t above = parent[row] = into[parent[row]];
      if (events_.name[above] != events_.name[row] || children[above] != 1) continue;
      events_.merged[row] = true;
      into[row] = above;
      children[above] = children[row];
      own_ns_[above] = own_ns_[row];
    }
    sum_up(forest);
  }

  void sum_up(const Forest& forest) {
    TorchEvents& e = events_;
    e.self_cpu_ns = e.duration_ns;
    e.self_device_ns = e.device_ns = own_ns_;
    e.self_cpu_bytes = e.cpu_bytes;
    e.self_device_bytes = e.device_bytes;
    for (auto at = forest.order.rbegin(); at != forest.order.rend(); ++at) {
      const uint32_t row = *at, above = e.parent[row];
      if (e.merged[row] || above == kNone) continue;
      e.self_cpu_ns[above] -= e.duration_ns[row];
      e.device_ns[above] += e.device_ns[row];
      e.self_cpu_bytes[above] -= e.cpu_bytes[row];
      e.self_device_bytes[above] -= e.device_bytes[row];
    }
  }

  const Profile& p_;
  std::vector<uint32_t> stopping_thread_;
  IdIndex operator_of_id_;
  std::vector<StringId> dropped_;
  std::vector<int64_t> own_kernels_;  // row of operators
  std::vector<int64_t> own_ns_;       // event: device time of its own kernels
  TorchEvents events_;
};

}  // namespace

std::vector<uint32_t> stopping_threads(const Profile& profile) {
  std::vector<uint32_t> chosen(profile.ranks.size(), kNone);
  std::vector<int> quality(profile.ranks.size(), -1);
  std::vector<bool> has_operators(profile.threads.size(), false), has_steps(profile.threads.size(), false);
  const auto& ops = profile.operators;
  for (uint32_t row = 0; row < ops.size(); ++row) {
    has_operators[ops.thread[row]] = true;
    if (ops.kind[row] == OperatorKind::kRange && profile.text(ops.name[row]).starts_with("ProfilerStep#"))
      has_steps[ops.thread[row]] = true;
  }
  for (uint32_t row = 0; row < profile.threads.size(); ++row) {
    const bool first_of_process = profile.threads.thread[row] == profile.threads.process[row];
    const int fits = (has_steps[row] ? 4 : 0) + (first_of_process ? 2 : 0) + (has_operators[row] ? 1 : 0);
    const uint32_t rank = profile.threads.rank[row];
    if (fits > quality[rank]) {
      quality[rank] = fits;
      chosen[rank] = row;
    }
  }
  return chosen;
}

bool recorded_verbose_stacks(const Profile& profile) {
  const auto& stacks = profile.operators.call_stack;
  return profile.python_frames.size() != 0 &&
         std::any_of(stacks.begin(), stacks.end(), [](StringId id) { return id != StringId::kEmpty; });
}

TorchEvents torch_events(const Profile& profile, bool python_frames) {
  const TimedScope timed("torch's event tree");
  return Builder(profile).build(python_frames);
}

}  // namespace warplens::analysis
