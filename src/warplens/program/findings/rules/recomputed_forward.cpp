// recomputed-forward: the backward pass runs operators of the forward pass again, as activation checkpointing does.
#include <map>
#include <set>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

using Work = std::pair<StringId, StringId>;  // name, input shapes

/// A row of operators that one backward function runs and the forward pass ran before.
struct Stretch {
  uint32_t function, last;  // rows of operators
};

class Finder {
 public:
  explicit Finder(const Context& context)
      : c(context), evaluation_(context.p, [](std::string_view name) { return contains(name, "evaluate_function"); }) {
    look_up();
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> last;  // thread, caller -> the operator it called last
    for (const uint32_t op : c.joined.operators.order) {
      if (!is_operator(op) || in_backward_[op]) continue;
      const auto [before, is_first] = last.try_emplace({c.p.operators.thread[op], caller_[op]}, op);
      if (!is_first) forward_.insert({work(std::exchange(before->second, op)), work(op)});
    }
  }

  std::vector<Stretch> run() const {
    std::vector<Stretch> out;
    uint32_t before = kNone;
    for (const uint32_t op : c.joined.operators.order) {
      const uint32_t function = c.joined.operators.parent[op];
      if (!is_again(op, function) || !within(op)) continue;
      const bool follows = before != kNone && c.joined.operators.parent[before] == function &&
                           forward_.contains({work(before), work(op)});
      before = op;
      if (!follows) continue;
      if (!out.empty() && out.back().function == function) out.back().last = op;
      else out.push_back({function, op});
    }
    return out;
  }

 private:
  bool is_operator(uint32_t op) const { return c.p.operators.kind[op] == OperatorKind::kOperator; }
  Work work(uint32_t op) const { return {c.p.operators.name[op], c.p.operators.input_shapes[op]}; }
  bool within(uint32_t op) const {
    return c.p.operators.start_ns[op] >= c.program.start_ns && c.p.operators.start_ns[op] < c.program.end_ns;
  }
  /// What is above each operator, in one pass from the outermost.
  void look_up() {
    caller_.assign(c.p.operators.size(), kNone);
    in_backward_.assign(c.p.operators.size(), false);
    for (const uint32_t op : c.joined.operators.order) {
      const uint32_t up = c.joined.operators.parent[op];
      if (up != kNone) caller_[op] = is_operator(up) ? up : caller_[up];
      in_backward_[op] = evaluation_(c.p.operators.name[op]) || (up != kNone && in_backward_[up]);
    }
  }
  /// An operator that autograd follows, called by a backward function: an ordinary backward pass follows none.
  bool is_again(uint32_t op, uint32_t function) const {
    if (function == kNone || !is_operator(op) || c.p.operators.sequence_number[op] < 0) return false;
    const uint32_t evaluation = c.joined.operators.parent[function];
    return evaluation != kNone && evaluation_(c.p.operators.name[evaluation]);
  }

  const Context& c;
  mutable NameMemo<bool (*)(std::string_view)> evaluation_;
  std::vector<uint32_t> caller_;  // the innermost operator that called it, past ranges; kNone: the program itself
  std::vector<bool> in_backward_;
  std::set<std::pair<Work, Work>> forward_;  // what follows what
};

}  // namespace

std::optional<Finding> recomputed_forward(const Context& c) {
  const std::vector<Stretch> stretches = Finder(c).run();
  if (stretches.empty()) return std::nullopt;
  Change change;
  std::vector<uint32_t> functions;
  for (const Stretch& stretch : stretches) {
    functions.push_back(stretch.function);
    change.host_removed.push_back({c.p.operators.start_ns[stretch.function], c.span_of(stretch.last).end_ns});
  }
  const analysis::TimeSet again = analysis::unite(change.host_removed);
  int64_t device_ns = 0;
  for (const ProgramEvent& event : c.program.events) {
    const int64_t launched = c.program.calls[event.call].start_ns;
    if (analysis::overlap_ns(again, launched, launched + 1) == 0) continue;
    change.events_removed.push_back(event.row);
    device_ns += event.duration_ns;
  }
  Finding f;
  c.set_saving(f, change);
  f.title = fmt::format("backward functions run parts of the forward pass again: {} {}",
                        format_count(c.per_step(static_cast<double>(stretches.size()))), c.each_step());
  f.detail = fmt::format(
      "Activation checkpointing trades time for memory: {} kernels {} run a second time, for {} of device time.",
      format_count(c.per_step(static_cast<double>(change.events_removed.size()))), c.each_step(),
      format_ns(c.per_step(static_cast<double>(device_ns))));
  f.advice =
      "If device memory allows, checkpoint fewer layers, or only operators that are cheap to run again "
      "(torch.utils.checkpoint's context_fn). `warplens memory` shows the peak.";
  f.evidence = {{"stretches_per_step", c.per_step(static_cast<double>(stretches.size()))},
                {"kernels_per_step", c.per_step(static_cast<double>(change.events_removed.size()))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(functions);
  return f;
}

}  // namespace warplens::findings
