#include "warplens/program/analysis/operators/torch_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/shapes.h"
#include "warplens/program/analysis/operators/torch_events.h"
#include "warplens/program/analysis/operators/torch_stacks.h"

namespace warplens::analysis {
namespace {

bool metadata_says(const Profile& p, std::string_view key) {
  for (size_t i = 0; i < p.metadata.size(); ++i) {
    if (p.text(p.metadata.key[i]) == key)
      return p.text(p.metadata.value[i]) != "0" && p.text(p.metadata.value[i]) != "false";
  }
  return false;
}

/// What torch groups events by, as numbers.
struct Key {
  StringId name;
  uint32_t shapes = 0, stack = 0;
  bool on_device = false, is_annotation = false, is_memory = false;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = static_cast<uint32_t>(k.name);
    for (const uint64_t part :
         {uint64_t{k.shapes}, uint64_t{k.stack}, uint64_t(k.on_device + 2 * k.is_annotation + 4 * k.is_memory)}) {
      h = (h ^ part) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h;
  }
};

/// Order of torch's event list: start, then the longest, then operators before calls before device events.
using Place = std::tuple<int64_t, int64_t, uint32_t, uint32_t>;

class Grouper {
 public:
  Grouper(const Profile& profile, const TorchTableOptions& options) : p_(profile), options_(options) {}

  TorchTable build() {
    TorchTable table;
    table.has_memory = metadata_says(p_, "profile_memory") || p_.allocations.size() != 0;
    count_flops_ = table.has_flops = metadata_says(p_, "with_flops");
    const TorchEvents events = torch_events(p_, recorded_verbose_stacks(p_));
    if (options_.by_stack != 0) stacks_ = std::make_unique<TorchStacks>(p_, events);
    for (uint32_t i = 0; i < events.size(); ++i) {
      if (!events.merged[i]) add_host(events, i);
    }
    for (uint32_t row = 0; row < p_.device_events.size(); ++row) add_device(row);
    std::vector<Group*> groups;
    for (auto& [key, group] : groups_) groups.push_back(&group);
    std::sort(groups.begin(), groups.end(), [](const Group* a, const Group* b) { return a->first < b->first; });
    for (Group* group : groups) {
      table.self_cpu_ns += group->row.self_cpu_ns;
      if (group->row.on_device && !group->row.is_user_annotation) table.self_device_ns += group->row.self_device_ns;
      table.rows.push_back(std::move(group->row));
    }
    return table;
  }

 private:
  struct Group {
    TorchRow row;
    Place first{std::numeric_limits<int64_t>::max(), 0, 0, 0};
  };

  TorchRow& row_of(const Key& key, const Place& place) {
    const auto [at, added] = groups_.try_emplace(key);
    Group& group = at->second;
    if (added) {
      group.row.name = key.is_memory ? "[memory]" : text_of(key.name);
      group.row.on_device = key.on_device;
      group.row.is_user_annotation = key.is_annotation;
      if (options_.by_shape) group.row.input_shapes = shape_texts_[key.shapes];
      for (const std::string_view frame : frames_of(key.stack)) group.row.stack.emplace_back(frame);
    }
    group.first = std::min(group.first, place);
    ++group.row.count;
    return group.row;
  }

  std::string text_of(StringId name) const {
    const std::string_view text = p_.text(name);
    return text.starts_with("ProfilerStep#") ? "ProfilerStep*" : std::string(text);
  }

  /// The number of the shapes text that torch would print for operator input dims.
  uint32_t shapes_number(StringId dims) {
    const auto [at, added] = shapes_of_dims_.try_emplace(dims, 0);
    if (added) {
      std::string text = dims == StringId::kEmpty ? "[]" : torch_shapes(p_.text(dims));
      const auto [number, fresh] = number_of_shapes_.try_emplace(text, static_cast<uint32_t>(shape_texts_.size()));
      if (fresh) shape_texts_.push_back(text);
      at->second = number->second;
    }
    return at->second;
  }

  /// Number of the innermost frames of a stack that the grouping looks at.
  uint32_t stack_number(uint32_t node) {
    if (!stacks_) return 0;
    const auto [at, added] = number_of_node_.try_emplace(node, 0);
    if (added) {
      std::string text;
      const std::vector<std::string_view> frames = stacks_->frames(node, options_.by_stack);
      for (const std::string_view frame : frames) text += std::string(frame) + '\n';
      const auto [number, fresh] = number_of_stack_.try_emplace(text, static_cast<uint32_t>(stack_frames_.size()));
      if (fresh) stack_frames_.push_back(frames);
      at->second = number->second;
    }
    return at->second;
  }

  std::vector<std::string_view> frames_of(uint32_t number) const {
    return stacks_ ? stack_frames_[number] : std::vector<std::string_view>();
  }

  void add_host(const TorchEvents& e, uint32_t i) {
    const uint32_t row = e.source_row[i];
    const bool is_operator = e.source[i] == TorchSource::kOperator;
    Key key{e.name[i]};
    key.is_memory = e.source[i] == TorchSource::kMemory;
    key.is_annotation = is_operator && p_.operators.kind[row] == OperatorKind::kRange;
    if (options_.by_shape) key.shapes = shapes_number(is_operator ? p_.operators.input_shapes[row] : StringId::kEmpty);
    if (stacks_) key.stack = stack_number(stacks_->of_event(i));
    TorchRow& out =
        row_of(key, {e.start_ns[i], -(e.start_ns[i] + e.duration_ns[i]), static_cast<uint32_t>(e.source[i]), row});
    out.cpu_ns += e.duration_ns[i];
    out.self_cpu_ns += e.self_cpu_ns[i];
    out.device_ns += e.device_ns[i];
    out.self_device_ns += e.self_device_ns[i];
    out.cpu_bytes += e.cpu_bytes[i];
    out.self_cpu_bytes += e.self_cpu_bytes[i];
    out.device_bytes += e.device_bytes[i];
    out.self_device_bytes += e.self_device_bytes[i];
    if (count_flops_ && is_operator) out.flops += torch_flops(p_, row);
  }

  void add_device(uint32_t row) {
    const auto& t = p_.device_events;
    Key key{t.name[row]};
    key.on_device = true;
    key.is_annotation = t.kind[row] == DeviceEventKind::kRange;
    if (options_.by_shape) key.shapes = shapes_number(StringId::kEmpty);
    if (key.is_annotation && p_.text(key.name).starts_with("ProfilerStep#")) key.name = any_step(key.name);
    if (stacks_) key.stack = stack_number(stacks_->of_device_event(row));
    // The file's spans of annotations start 1 ns early and end 1 ns late.
    const int64_t margin_ns = key.is_annotation ? std::min<int64_t>(2, t.duration_ns[row]) : 0;
    const int64_t start_ns = t.start_ns[row] + margin_ns / 2, duration_ns = t.duration_ns[row] - margin_ns;
    TorchRow& out = row_of(key, {start_ns, -(start_ns + duration_ns), uint32_t{9}, row});
    out.device_ns += duration_ns;
    out.self_device_ns += duration_ns;
  }

  StringId any_step(StringId name) {
    if (device_step_ == StringId::kEmpty) device_step_ = name;
    return device_step_;
  }

  const Profile& p_;
  TorchTableOptions options_;
  bool count_flops_ = false;
  StringId device_step_ = StringId::kEmpty;
  std::unique_ptr<TorchStacks> stacks_;
  std::unordered_map<Key, Group, KeyHash> groups_;
  std::unordered_map<StringId, uint32_t> shapes_of_dims_;
  std::unordered_map<std::string, uint32_t> number_of_shapes_, number_of_stack_;
  std::vector<std::string> shape_texts_;
  std::unordered_map<uint32_t, uint32_t> number_of_node_;
  std::vector<std::vector<std::string_view>> stack_frames_;
};

}  // namespace

TorchTable torch_table(const Profile& profile, const TorchTableOptions& options) {
  const TimedScope timed("torch's table");
  return Grouper(profile, options).build();
}

}  // namespace warplens::analysis
