#include "warplens/program/analysis/operators/operator_table.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/memory_sums.h"
#include "warplens/program/analysis/operators/roofline.h"
#include "warplens/program/analysis/python_stack.h"

namespace warplens::analysis {
namespace {

/// Texts numbered as they come.
class Numbered {
 public:
  uint32_t operator()(std::string text) {
    const auto [at, added] = numbers_.try_emplace(std::move(text), static_cast<uint32_t>(numbers_.size()));
    if (added) texts_.push_back(&at->first);
    return at->second;
  }
  const std::string& text(uint32_t number) const { return *texts_[number]; }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> texts_;
};

/// What each operator did itself, then with all below it.
struct Sums {
  std::vector<int64_t> self_cpu, self_device, device, kernels, self_device_bytes, device_bytes, self_cpu_bytes,
      cpu_bytes;
};

class Builder {
 public:
  Builder(const Profile& profile, const Causes& causes, const OperatorTableOptions& options)
      : p_(profile), causes_(causes), options_(options) {}

  OperatorTable build() {
    const size_t n = p_.operators.size();
    for (auto* column : {&sums_.self_device, &sums_.kernels, &sums_.self_device_bytes, &sums_.self_cpu_bytes})
      column->assign(n, 0);
    add_device_events();
    add_allocations();
    sum_up();
    flops_ = inclusive_flops(p_, causes_.operators);
    if (options_.by_stack != 0) find_frames();
    add_operators();
    return finish();
  }

 private:
  void add_device_events() {
    const auto& t = p_.device_events;
    sums_.device.assign(p_.operators.size(), 0);
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (!is_device_work(t.kind[row])) continue;
      const uint32_t op = causes_.links.event_operator[row];
      const std::string_view owner = op == kNone ? std::string_view() : p_.text(p_.operators.name[op]);
      if (op != kNone) sums_.device[op] += t.duration_ns[row];
      if (is_charged(row, op)) {
        sums_.self_device[op] += t.duration_ns[row];
        ++sums_.kernels[op];
      } else if (t.graph_id[row] != 0) add_kernel(row, fmt::format("CUDA graph {}", t.graph_id[row]));
      else if (is_graph_launch(causes_.links.event_call[row])) add_kernel(row, "CUDA graph");
      else if (op == kNone)
        add_kernel(row, causes_.links.event_call[row] == kNone ? "(launch not in the trace)" : "(no operator)");
      else if (is_compiled_region(owner)) add_kernel(row, std::string(owner));
      else {
        sums_.self_device[op] += t.duration_ns[row];
        ++sums_.kernels[op];
      }
    }
  }

  /// To the operator that launched it while its graph was captured (charge_captured()), not to the one around the
  /// replay.
  bool is_charged(uint32_t row, uint32_t op) const {
    const uint32_t call = causes_.links.event_call[row];
    return op != kNone && is_graph_launch(call) && op != causes_.links.call_operator[call];
  }

  bool is_graph_launch(uint32_t call) const {
    return call != kNone && contains(p_.text(p_.calls.name[call]), "GraphLaunch");
  }

  /// A row for the kernel below `owner`.
  void add_kernel(uint32_t row, const std::string& owner) {
    OperatorRow& out = rows_[fmt::format("{} > {}", owner, p_.text(p_.device_events.name[row]))];
    out.kind = RowKind::kKernel;
    ++out.count;
    ++out.kernels;
    out.device_ns += p_.device_events.duration_ns[row];
    out.self_device_ns += p_.device_events.duration_ns[row];
  }

  void add_allocations() {
    const auto& t = p_.allocations;
    const auto& ops = p_.operators;
    for (uint32_t row = 0; row < t.size(); ++row) {
      const uint32_t op = innermost_at(causes_.operators, ops.start_ns.values(), ops.duration_ns.values(),
                                       t.thread[row], t.time_ns[row]);
      if (op == kNone) continue;
      const MemoryChange change = memory_change(p_, row);
      sums_.self_device_bytes[op] += change.device_bytes;
      sums_.self_cpu_bytes[op] += change.cpu_bytes;
    }
  }

  void sum_up() {
    const Forest& forest = causes_.operators;
    sums_.self_cpu.assign(p_.operators.duration_ns.begin(), p_.operators.duration_ns.end());
    sums_.device_bytes = sums_.self_device_bytes;
    sums_.cpu_bytes = sums_.self_cpu_bytes;
    for (auto at = forest.order.rbegin(); at != forest.order.rend(); ++at) {
      const uint32_t parent = forest.parent[*at];
      if (parent == kNone) continue;
      sums_.self_cpu[parent] -= p_.operators.duration_ns[*at];
      sums_.device[parent] += sums_.device[*at];
      sums_.device_bytes[parent] += sums_.device_bytes[*at];
      sums_.cpu_bytes[parent] += sums_.cpu_bytes[*at];
    }
  }

  void find_frames() {
    frames_ = frame_forest(p_);
    frame_of_ = operator_frames(p_, frames_);
  }

  std::string stack_of(uint32_t row) const {
    std::string out;
    size_t taken = 0;
    for (uint32_t frame = frame_of_[row]; frame != kNone && taken < options_.by_stack; frame = frames_.parent[frame]) {
      const std::string_view name = p_.text(p_.python_frames.name[frame]);
      if (name.starts_with("<built-in")) continue;
      out += (taken++ ? " < " : "") + std::string(name);
    }
    return out;
  }

  /// The number of the group of an operator: its name, and shapes and stack where asked for.
  uint32_t group_of(uint32_t row) {
    const StringId name = p_.operators.name[row];
    const uint64_t shapes = options_.by_shape ? static_cast<uint32_t>(p_.operators.input_shapes[row]) : 0;
    const uint32_t frame = options_.by_stack != 0 ? frame_of_[row] : 0;
    const auto [cached, fresh] =
        group_of_ids_.try_emplace({(uint64_t{static_cast<uint32_t>(name)} << 32) | shapes, frame}, 0);
    if (!fresh) return cached->second;
    const std::string_view text = p_.text(name);
    const bool is_step = p_.operators.kind[row] == OperatorKind::kRange && text.starts_with("ProfilerStep#");
    OperatorRow out;
    out.name = is_step ? "ProfilerStep*" : std::string(text);
    out.kind = p_.operators.kind[row] == OperatorKind::kRange ? RowKind::kRange : RowKind::kOperator;
    if (options_.by_shape) out.input_shapes = p_.text(p_.operators.input_shapes[row]);
    if (options_.by_stack != 0) out.stack = stack_of(row);
    const uint32_t group =
        groups_(fmt::format("{}\n{}\n{}\n{}", out.name, static_cast<int>(out.kind), out.input_shapes, out.stack));
    if (group == group_rows_.size()) group_rows_.push_back(std::move(out));
    return cached->second = group;
  }

  /// Names the element type of a call's inputs in its row, once.
  void add_type(uint32_t group, uint32_t row) {
    const StringId types = p_.operators.input_types[row];
    if (types == StringId::kEmpty) return;
    if (!types_of_groups_.insert((uint64_t{group} << 32) | static_cast<uint32_t>(types)).second) return;
    const std::string type = element_type(p_.text(types));
    std::string& said = group_rows_[group].dtype;
    if (!type.empty() && !contains(", " + said + ",", ", " + type + ",")) said += (said.empty() ? "" : ", ") + type;
  }

  void add_operators() {
    const Forest& forest = causes_.operators;
    std::vector<uint32_t> group(p_.operators.size());
    for (const uint32_t row : forest.order) {
      if (p_.operators.kind[row] == OperatorKind::kInstant) continue;
      group[row] = group_of(row);
      add_type(group[row], row);
      OperatorRow& out = group_rows_[group[row]];
      ++out.count;
      out.self_cpu_ns += sums_.self_cpu[row];
      out.self_device_ns += sums_.self_device[row];
      out.kernels += sums_.kernels[row];
      out.self_device_bytes += sums_.self_device_bytes[row];
      out.self_cpu_bytes += sums_.self_cpu_bytes[row];
      if (has_ancestor_in(group[row], row, group)) continue;
      out.cpu_ns += p_.operators.duration_ns[row];
      out.device_ns += sums_.device[row];
      out.device_bytes += sums_.device_bytes[row];
      out.cpu_bytes += sums_.cpu_bytes[row];
      out.flops += flops_[row];
      if (flops_[row] > 0) out.flops_device_ns += sums_.device[row];
    }
  }

  bool has_ancestor_in(uint32_t wanted, uint32_t row, const std::vector<uint32_t>& group) const {
    for (uint32_t above = causes_.operators.parent[row]; above != kNone; above = causes_.operators.parent[above]) {
      if (group[above] == wanted) return true;
    }
    return false;
  }

  OperatorTable finish() {
    OperatorTable table{std::move(group_rows_)};
    for (auto& [name, row] : rows_) {
      row.name = name;
      table.rows.push_back(std::move(row));
    }
    for (const OperatorRow& row : table.rows) {
      table.device_ns += row.self_device_ns;
      table.root_cpu_ns += row.self_cpu_ns;
    }
    std::sort(table.rows.begin(), table.rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
      if (a.self_device_ns != b.self_device_ns) return a.self_device_ns > b.self_device_ns;
      if (a.self_cpu_ns != b.self_cpu_ns) return a.self_cpu_ns > b.self_cpu_ns;
      return a.name < b.name;
    });
    return table;
  }

  struct PairHash {
    size_t operator()(const std::pair<uint64_t, uint32_t>& k) const {
      return (k.first * 0x9E3779B97F4A7C15u) ^ (k.second * 0x85EBCA6Bu);
    }
  };

  const Profile& p_;
  const Causes& causes_;
  OperatorTableOptions options_;
  Sums sums_;
  std::vector<double> flops_;
  Forest frames_;
  std::vector<uint32_t> frame_of_;
  Numbered groups_;
  std::unordered_map<std::pair<uint64_t, uint32_t>, uint32_t, PairHash> group_of_ids_;
  std::vector<OperatorRow> group_rows_;
  std::unordered_set<uint64_t> types_of_groups_;       // each group with each of its input types
  std::unordered_map<std::string, OperatorRow> rows_;  // kernels that stand for themselves
};

}  // namespace

bool is_compiled_region(std::string_view name) {
  return name.starts_with("## Call CompiledFxGraph") || name.starts_with("Torch-Compiled Region") ||
         name.starts_with("CompiledFunction");
}

std::vector<double> inclusive_flops(const Profile& profile, const Forest& operators) {
  std::vector<double> flops(profile.operators.size(), 0);
  std::unordered_map<StringId, bool> counted;
  for (auto at = operators.order.rbegin(); at != operators.order.rend(); ++at) {
    const StringId name = profile.operators.name[*at];
    const auto [known, fresh] = counted.try_emplace(name, false);
    if (fresh) known->second = has_useful_flops(profile.text(name));
    const std::optional<double> own = known->second ? useful_flops(profile, *at) : std::nullopt;
    if (own) flops[*at] = *own;
    const uint32_t parent = operators.parent[*at];
    if (parent != kNone) flops[parent] += flops[*at];
  }
  return flops;
}

OperatorTable operator_table(const Profile& profile, const Causes& causes, const OperatorTableOptions& options) {
  const TimedScope timed("operator table");
  return Builder(profile, causes, options).build();
}

}  // namespace warplens::analysis
