#include "warplens/program/findings/untaken_gradients.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "warplens/base/text.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/turns.h"

namespace warplens::findings {
namespace {

using analysis::Shape;

bool accumulates(std::string_view name) { return name == "torch::autograd::AccumulateGrad"; }
bool zeroes(std::string_view name) { return name == "aten::zero_" || name == "aten::_foreach_zero_"; }

/// One node of autograd's graph, evaluated in the backward pass.
struct Node {
  uint32_t evaluation;
  bool accumulates = false;  // a leaf's gradient
  bool adds = false;         // to one that is there already
  Shape shape;               // of that gradient
};

/// The operators within `op`, in order.
std::vector<uint32_t> within(const Context& c, uint32_t op) {
  const analysis::Forest& forest = c.joined.operators;
  const auto begin = forest.order.begin() + forest.position[op];
  return {begin, forest.order.begin() + forest.subtree_end[op]};
}

Node node_of(const Context& c, uint32_t evaluation) {
  const std::vector<uint32_t> inner = within(c, evaluation);
  const auto leaf = std::ranges::find_if(inner, [&](uint32_t op) { return accumulates(c.op_name(op)); });
  if (leaf == inner.end()) return {evaluation};
  const bool adds = std::ranges::any_of(inner, [&](uint32_t op) { return c.op_name(op) == "aten::add_"; });
  return {evaluation, true, adds, shape_of(c, *leaf)};
}

/// Of each thread, in order.
std::vector<std::vector<Node>> backward_nodes(const Context& c) {
  std::vector<std::vector<Node>> out;
  for (const std::vector<uint32_t>& operators : operators_of_threads(c)) {
    std::vector<Node> nodes;
    for (const uint32_t op : operators) {
      if (contains(c.op_name(op), "evaluate_function")) nodes.push_back(node_of(c, op));
    }
    if (!nodes.empty()) out.push_back(std::move(nodes));
  }
  return out;
}

void add_shapes(const Context& c, uint32_t op, std::set<Shape>& out) {
  const std::vector<analysis::InputShape>& shapes = c.shapes(op);
  if (shapes.empty()) return;
  if (shapes.front().is_list) out.insert(shapes.front().list.begin(), shapes.front().list.end());
  else out.insert(shapes.front().dims);
}

/// Shapes of gradients that an optimizer reads or something clears.
std::set<Shape> taken_shapes(const Context& c, const std::vector<std::vector<Node>>& threads) {
  std::set<Shape> out;
  for (const uint32_t op : c.joined.operators.order) {
    const int64_t start_ns = c.p.operators.start_ns[op];
    if (start_ns < c.program.start_ns || start_ns >= c.program.end_ns) continue;
    if (zeroes(c.op_name(op)) || c.around(op, analysis::is_optimizer_step) != kNone) add_shapes(c, op, out);
  }
  for (const std::vector<Node>& nodes : threads) {
    for (const Node& node : nodes) {
      if (node.accumulates && !node.adds) out.insert(node.shape);  // it was None
    }
  }
  return out;
}

/// What two matrices' product has, or a sum over some dimensions.
std::optional<Shape> result_of(const Context& c, uint32_t op) {
  const Shape a = shape_of(c, op, 0), b = shape_of(c, op, 1);
  if (c.op_name(op) == "aten::mm" && a.size() == 2 && b.size() == 2) return Shape{a[0], b[1]};
  if (c.op_name(op) != "aten::sum") return std::nullopt;
  const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
  Shape kept = a;
  if (inputs.size() < 2 || inputs[1].size() < 2) return std::nullopt;
  const auto rank = static_cast<int64_t>(kept.size());
  for (const std::string_view dim : split(std::string_view(inputs[1]).substr(1, inputs[1].size() - 2), ',')) {
    const auto at = parse_int(trim(dim));
    if (!at || *at < -rank || *at >= rank) return std::nullopt;
    kept[static_cast<size_t>(*at < 0 ? *at + rank : *at)] = 1;
  }
  std::erase(kept, 1);
  return kept;
}

bool same_matrix(const Shape& a, const Shape& b) {
  return a == b || (a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0]);
}

/// Of a convolution's backward pass, the kernels for the gradient of the weights: what is in front of the kernel that
/// computes it prepares it, and what follows finishes it.
std::vector<uint32_t> weight_kernels(const Context& c, const std::vector<uint32_t>& events) {
  std::vector<uint32_t> out, pending;
  bool of_weights = false;
  for (const uint32_t e : events) {
    const std::string_view name = c.event_name(c.program.events[e]);
    const bool weights = contains(name, "wgrad") || contains(name, "Wgrad");
    const bool main = weights || contains(name, "dgrad") || contains(name, "Dgrad");
    const bool finishes = contains(name, "nhwcToNchw") || contains(name, "SplitK") || contains(name, "split_k");
    if (!main && !finishes) {
      pending.push_back(e);
      continue;
    }
    if (main) of_weights = weights;
    if (of_weights) {
      out.insert(out.end(), pending.begin(), pending.end());
      out.push_back(e);
    }
    pending.clear();
  }
  return out;
}

class InVain {
 public:
  explicit InVain(const Context& context) : c(context) {
    for (const analysis::Step& step : c.joined.steps)
      if (step.rank == c.program.rank) starts_.push_back(step.start_ns);
    std::ranges::sort(starts_);
  }

  UntakenGradients run() {
    const std::vector<std::vector<Node>> threads = backward_nodes(c);
    const std::set<Shape> taken = taken_shapes(c, threads);
    if (taken.empty()) return {};
    for (const std::vector<Node>& nodes : threads) {
      const auto untaken = [&](const Node& node) {
        return node.accumulates && !node.shape.empty() && !taken.contains(node.shape);
      };
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (untaken(nodes[i])) leave_out(nodes, i);
      }
      leave_out_ends(nodes, untaken);
    }
    return std::move(out_);
  }

 private:
  void remove_events(const std::vector<uint32_t>& events) {
    for (const uint32_t e : events) {
      if (!gone_.insert(e).second) continue;
      out_.device_ns += c.program.events[e].duration_ns;
      out_.change.events_removed.push_back(c.program.events[e].row);
    }
  }
  void remove(uint32_t op) {
    remove_events(events_within(c, c.span_of(op)));
    out_.change.host_removed.push_back(c.span_of(op));
  }

  /// The accumulation at `i`, and of the node that made the gradient the part that did.
  void leave_out(const std::vector<Node>& nodes, size_t i) {
    ++out_.tensors;
    remove(nodes[i].evaluation);
    size_t maker = i;
    const auto makes_nothing = [&](const Node& node) {
      return node.accumulates || events_within(c, c.span_of(node.evaluation)).empty();
    };
    while (maker > 0 && makes_nothing(nodes[maker])) --maker;
    if (nodes[maker].accumulates) return;
    for (const uint32_t op : within(c, nodes[maker].evaluation)) {
      if (gone_operators_.contains(op) || !makes(op, nodes[i].shape)) continue;
      gone_operators_.insert(op);
      out_.operators.push_back(op);
      return;
    }
  }

  bool makes(uint32_t op, const Shape& leaf) {
    if (c.op_name(op) == "aten::convolution_backward") {
      if (shape_of(c, op, 2) != leaf) return false;
      const std::vector<uint32_t> events = weight_kernels(c, events_within(c, c.span_of(op)));
      remove_events(events);
      for (const uint32_t e : events) {
        const analysis::ProgramCall& call = c.program.calls[c.program.events[e].call];
        out_.change.host_removed.push_back({call.start_ns, call.end_ns});
      }
      return true;
    }
    const std::optional<Shape> result = result_of(c, op);
    const bool whole = c.op_name(op) == "aten::embedding_dense_backward" || (result && same_matrix(*result, leaf));
    if (whole) remove(op);
    return whole;
  }

  /// After the last gradient that is taken, a step's backward pass makes only such as are not.
  template <typename Untaken>
  void leave_out_ends(const std::vector<Node>& nodes, Untaken untaken) {
    std::vector<uint32_t> end;
    const auto drop = [&] {
      for (const uint32_t evaluation : end) remove(evaluation);
      end.clear();
    };
    bool after_taken = false;
    size_t step = 0;
    for (const Node& node : nodes) {
      const size_t now = step_of(c.span_of(node.evaluation).start_ns);
      if (now != step) {
        drop();
        after_taken = false;
      }
      step = now;
      if (node.accumulates && !untaken(node)) {
        end.clear();
        after_taken = true;
      } else if (after_taken) {
        end.push_back(node.evaluation);
      }
    }
    drop();
  }
  size_t step_of(int64_t time_ns) const {
    return static_cast<size_t>(std::ranges::upper_bound(starts_, time_ns) - starts_.begin());
  }

  const Context& c;
  std::vector<int64_t> starts_;  // of the rank's steps, in order
  UntakenGradients out_;
  std::set<uint32_t> gone_, gone_operators_;
};

}  // namespace

UntakenGradients untaken_gradients(const Context& c) { return InVain(c).run(); }

}  // namespace warplens::findings
