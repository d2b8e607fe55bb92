#include "warplens/writers/flamegraph/flame_tree.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/forest.h"
#include "warplens/trace/profile/host_sample.h"

namespace warplens::writers {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// "nn.Module: Block_11" as "nn.Module: Block": equal layers of a model are one box.
std::string_view without_number(std::string_view name) {
  if (!name.starts_with("nn.Module: ")) return name;
  const size_t last = name.find_last_not_of(kDigits);
  return last != std::string_view::npos && last + 1 < name.size() && name[last] == '_' ? name.substr(0, last) : name;
}

/// Operators and Python frames together, as they nest: elements of a thread that hold the operators first.
class HostNesting {
 public:
  explicit HostNesting(const Profile& p) : p_(p), operators_(p.operators.size()) {
    const auto append = [&](const auto& t) {
      starts_.insert(starts_.end(), t.start_ns.begin(), t.start_ns.end());
      durations_.insert(durations_.end(), t.duration_ns.begin(), t.duration_ns.end());
      threads_.insert(threads_.end(), t.thread.begin(), t.thread.end());
    };
    append(p.operators);
    append(p.python_frames);
    forest = analysis::build_forest(starts_, durations_, threads_, p.threads.size());
    node_.assign(starts_.size(), 0);
  }

  std::string_view name(uint32_t element) const {
    const std::string_view text =
        p_.text(element < operators_ ? p_.operators.name[element] : p_.python_frames.name[element - operators_]);
    return text.starts_with("ProfilerStep#") ? "ProfilerStep*" : without_number(text);
  }

  /// The node of an element: its name below the node of what it lies in.
  uint32_t node(FlameTree& tree, uint32_t element) {
    if (node_[element] != 0) return node_[element];
    std::vector<uint32_t> path;
    for (uint32_t at = element; at != kNone && node_[at] == 0; at = forest.parent[at]) path.push_back(at);
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      const uint32_t parent = forest.parent[*at];
      node_[*at] = tree.child(parent == kNone ? 0 : node_[parent], name(*at));
    }
    return node_[element];
  }

  int64_t duration_ns(uint32_t element) const { return durations_[element]; }

  analysis::Forest forest;

 private:
  const Profile& p_;
  size_t operators_;
  std::vector<int64_t> starts_, durations_;
  std::vector<uint32_t> threads_, node_;
};

/// Sampled stacks, with what their threads waited for as the last frame.
FlameTree sampled_flames(const Profile& p) {
  constexpr std::string_view kState = "{\"state\": \"";
  FlameTree tree;
  tree.sampled = true;
  const other_events_table& t = p.other_events;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (p.text(t.category[row]) != kHostSampleCategory) continue;
    uint32_t node = 0;
    for (const std::string_view frame : split(p.text(t.name[row]), ';')) node = tree.child(node, frame);
    std::string_view state = p.text(t.args[row]);
    state = state.starts_with(kState) ? state.substr(kState.size(), state.rfind('"') - kState.size()) : "";
    if (!state.empty() && state != "running") node = tree.child(node, state);
    tree.nodes[node].total_ns += t.duration_ns[row];
  }
  tree.add_up();
  return tree;
}

}  // namespace

bool NaturalOrder::operator()(std::string_view a, std::string_view b) const {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    const auto digits = [](std::string_view text) { return std::min(text.find_first_not_of(kDigits), text.size()); };
    const size_t of_a = digits(a), of_b = digits(b);
    if (of_a > 0 && of_b > 0) {
      const auto value = [](std::string_view text) {
        return text.substr(std::min(text.find_first_not_of('0'), text.size()));
      };
      const std::string_view x = value(a.substr(0, of_a)), y = value(b.substr(0, of_b));
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(of_a), b.remove_prefix(of_b);
      continue;
    }
    if (a[0] != b[0]) return a[0] < b[0];
    a.remove_prefix(1), b.remove_prefix(1);
  }
  return a.empty() && b.empty() ? whole_a < whole_b : a.empty();
}

uint32_t FlameTree::child(uint32_t parent, std::string_view name) {
  const auto known = nodes[parent].children.find(name);
  if (known != nodes[parent].children.end()) return known->second;
  const auto fresh = static_cast<uint32_t>(nodes.size());
  nodes.push_back({name, parent});
  nodes[parent].children.emplace(name, fresh);
  return fresh;
}

void FlameTree::add_up() {
  for (size_t node = nodes.size() - 1; node > 0; --node) nodes[nodes[node].parent].total_ns += nodes[node].total_ns;
}

FlameTree device_flames(const Profile& profile) {
  FlameTree tree;
  HostNesting host(profile);
  const analysis::RowLinks operator_of = analysis::link_device_operators(profile);
  const auto& t = profile.device_events;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (!analysis::is_device_work(t.kind[row])) continue;
    const uint32_t op = operator_of[row];
    const uint32_t below = op != kNone ? host.node(tree, op) : tree.child(0, "(no operator in the trace)");
    tree.nodes[tree.child(below, profile.text(t.name[row]))].total_ns += t.duration_ns[row];
  }
  tree.add_up();
  return tree;
}

FlameTree host_flames(const Profile& profile) {
  if (FlameTree sampled = sampled_flames(profile); sampled.nodes.size() > 1) return sampled;
  FlameTree tree;
  HostNesting host(profile);
  std::vector<int64_t> self(host.forest.size());
  for (const uint32_t element : host.forest.order) {
    self[element] += host.duration_ns(element);
    if (host.forest.parent[element] != kNone) self[host.forest.parent[element]] -= host.duration_ns(element);
  }
  for (const uint32_t element : host.forest.order) {
    if (self[element] > 0) tree.nodes[host.node(tree, element)].total_ns += self[element];
  }
  tree.add_up();
  return tree;
}

}  // namespace warplens::writers
