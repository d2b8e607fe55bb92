#include "warplens/program/findings/tensor_loops.h"

#include <algorithm>
#include <set>

#include "warplens/base/text.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/analysis/operators/traffic.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/findings/kernel_classes.h"
#include "warplens/program/findings/operators.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
namespace {

constexpr size_t kLongestTurn = 24;  // operators

bool in_place(std::string_view op) { return op.ends_with('_'); }
bool belongs_to_optimizer(std::string_view range) {
  return analysis::is_optimizer_step(range) || is_gradient_zeroing(range);
}
bool reads(std::string_view op) { return op == "aten::item" || op == "aten::is_nonzero"; }

class Finder {
 public:
  Finder(const Context& context, uint32_t thread) : c(context), ops_(outermost(context, thread)) {
    for (const uint32_t op : ops_) listed_.push_back(can_be_listed(op));
    taken_.assign(ops_.size(), 0);
  }

  std::vector<TensorLoop> run() {
    std::vector<TensorLoop> out;
    for (size_t length = 1; length <= kLongestTurn; ++length) {
      for (size_t begin = 0, end = 0; begin < ops_.size(); begin = std::max(end, begin + 1)) {
        for (end = begin; end + length < ops_.size() && repeats(end, length);) ++end;
        if (end > begin) add(begin, (end - begin + length) / length, length, out);
      }
    }
    return out;
  }

 private:
  /// Whether an operator on lists does what it does: it launches nothing but kernels for its own tensor.
  bool can_be_listed(uint32_t op) const {
    const std::string_view name = c.op_name(op);
    if (c.around(op, belongs_to_optimizer) != kNone) return false;
    if (reads(name)) return true;
    const std::vector<uint32_t> events = events_within(c, c.span_of(op));
    if (events.empty()) return analysis::only_arranges(name);
    return !name.starts_with("autograd::") &&
           std::ranges::all_of(events, [&](uint32_t event) { return moves_memory(c, c.program.events[event]); });
  }
  bool repeats(size_t i, size_t length) const {
    return listed_[i] && listed_[i + length] && !taken_[i] && !taken_[i + length] &&
           c.p.operators.name[ops_[i]] == c.p.operators.name[ops_[i + length]];
  }

  /// Each new element comes from elements of its own place, and the result stays in one of the tensors.
  bool updates(const Turn& turn) const {
    const auto by_place = [&](uint32_t op) {
      return analysis::only_arranges(c.op_name(op)) || in_place(c.op_name(op)) || is_pointwise(c.op_name(op));
    };
    return std::ranges::all_of(turn, by_place) &&
           std::ranges::any_of(turn, [&](uint32_t op) { return in_place(c.op_name(op)); });
  }

  void add(size_t begin, size_t count, size_t length, std::vector<TensorLoop>& out) {
    if (count < kLeastTurns) return;
    TensorLoop loop;
    std::set<StringId> shapes;  // of the first operator of each turn that has some
    for (size_t turn = 0; turn < count; ++turn) {
      const auto first = ops_.begin() + static_cast<std::ptrdiff_t>(begin + turn * length);
      loop.turns.emplace_back(first, first + static_cast<std::ptrdiff_t>(length));
      const auto sized = std::ranges::find_if(loop.turns.back(), [&](uint32_t op) { return c.largest_input(op) > 1; });
      if (sized != loop.turns.back().end()) shapes.insert(c.p.operators.input_shapes[*sized]);
      const analysis::Span span = span_of(c, loop.turns.back());
      loop.waits |= waits_within(c, span);
      loop.kernels += events_within(c, span).size();
    }
    if (shapes.size() < 2 || loop.kernels < count) return;
    loop.updates = !loop.waits && updates(loop.turns.front());
    std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(begin), count * length, 1);
    out.push_back(std::move(loop));
  }

  const Context& c;
  const std::vector<uint32_t> ops_;
  std::vector<uint8_t> listed_, taken_;
};

/// Of a kernel that does this one's work among others: at the rate of memory, where the shapes tell how much that is.
double listed_ns(const Context& c, const ProgramEvent& event) {
  const auto recorded_ns = static_cast<double>(event.duration_ns);
  const uint32_t op = c.op_of(event);
  const double bytes = op == kNone ? 0 : analysis::least_bytes(c.p, op).value_or(0);
  return bytes > 0 && c.hardware.dram_bytes_per_ns > 0 ? std::min(recorded_ns, bytes / c.hardware.dram_bytes_per_ns)
                                                       : recorded_ns;
}

}  // namespace

const std::vector<TensorLoop>& Context::tensor_loops() const {
  if (tensor_loops_) return *tensor_loops_;
  std::vector<TensorLoop> out;
  for (uint32_t thread = 0; thread + 1 < joined.operators.thread_begin.size(); ++thread) {
    if (p.threads.rank[thread] != program.rank) continue;
    for (TensorLoop& loop : Finder(*this, thread).run()) out.push_back(std::move(loop));
  }
  tensor_loops_ = std::make_shared<const std::vector<TensorLoop>>(std::move(out));
  return *tensor_loops_;
}

void run_on_lists(const Context& c, const TensorLoop& loop, Change& change) {
  const size_t turns = loop.turns.size(), kept = static_cast<size_t>(lists_of(static_cast<double>(turns)));
  std::vector<std::vector<uint32_t>> events;
  for (const Turn& turn : loop.turns) events.push_back(events_within(c, span_of(c, turn)));
  for (size_t k = 0; k < events.front().size(); ++k) {
    double together_ns = 0;
    for (const auto& of_turn : events)
      together_ns += k < of_turn.size() ? listed_ns(c, c.program.events[of_turn[k]]) : 0;
    const double each_ns = std::max(together_ns / static_cast<double>(kept), model::kShortKernelNs);
    for (size_t turn = 0; turn < kept; ++turn) {
      if (k < events[turn].size())
        change.event_duration.emplace_back(c.program.events[events[turn][k]].row, static_cast<int64_t>(each_ns));
    }
  }
  for (size_t turn = kept; turn < turns; ++turn) {
    for (const uint32_t event : events[turn]) change.events_removed.push_back(c.program.events[event].row);
  }
  if (kept == turns) return;
  const analysis::Span rest{span_of(c, loop.turns[kept - 1]).end_ns, span_of(c, loop.turns.back()).end_ns};
  change.host_removed.push_back(rest);
  change.host_added.emplace_back(rest.start_ns,
                                 static_cast<int64_t>(static_cast<double>(turns) * model::kListedTensorNs));
  stop_waiting_within(c, {span_of(c, loop.turns.front()).start_ns, rest.end_ns}, change);
}

}  // namespace warplens::findings
