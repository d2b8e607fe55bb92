#include "warplens/program/findings/batch_loops.h"

#include <algorithm>
#include <optional>
#include <set>

#include "warplens/base/text.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/group_loops.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/served_reads.h"

namespace warplens::findings {
namespace {

constexpr size_t kLongestTurn = 24;  // operators

bool gathers(std::string_view name) { return name == "aten::stack" || name == "aten::cat"; }
bool takes_slice(std::string_view name) { return name == "aten::select" || name == "aten::slice"; }

/// Where a slice begins: the number among an operator's inputs.
std::optional<int64_t> place_of(const Context& c, uint32_t op) {
  const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
  return inputs.size() > 2 ? parse_int(inputs[2]) : std::nullopt;
}

/// Whether numbers go up or down by one length, as a loop counts, and perhaps begin again as an inner loop does.
bool counts(const std::vector<int64_t>& places) {
  int64_t stride = 0;
  for (size_t i = 1; i < places.size(); ++i) {
    const int64_t difference = places[i] - places[i - 1];
    if (difference == 0 || difference == stride || places[i] == places.front()) continue;
    if (stride != 0) return false;
    stride = difference;
  }
  return stride != 0;
}

class BatchFinder {
 public:
  BatchFinder(const Context& context, uint32_t thread) : c(context), ops_(outermost(context, thread)) {
    taken_.assign(ops_.size(), 0);
  }

  std::vector<BatchLoop> run() {
    std::vector<BatchLoop> out;
    for (size_t length = 1; length <= kLongestTurn; ++length) {
      for (size_t begin = 0, end = 0; begin < ops_.size(); begin = std::max(end, begin + 1)) {
        for (end = begin; end + length < ops_.size() && repeats(end, length);) ++end;
        if (end > begin) add(begin, (end - begin + length) / length, length, out);
      }
    }
    return out;
  }

 private:
  bool repeats(size_t i, size_t length) const {
    const auto& ops = c.p.operators;
    const uint32_t a = ops_[i], b = ops_[i + length];
    return !taken_[i] && !taken_[i + length] && ops.name[a] == ops.name[b] &&
           ops.input_shapes[a] == ops.input_shapes[b];
  }

  void add(size_t begin, size_t count, size_t length, std::vector<BatchLoop>& out) {
    if (count < kLeastTurns) return;
    Turns turns;
    for (size_t turn = 0; turn < count; ++turn) {
      const auto first = ops_.begin() + static_cast<std::ptrdiff_t>(begin + turn * length);
      turns.emplace_back(first, first + static_cast<std::ptrdiff_t>(length));
    }
    const analysis::Span first = span_of(c, turns.front());
    const bool waits = waits_within(c, first);
    const Places places = counted_slices(turns);
    if (events_within(c, first).empty() || !is_independent(turns.front(), places.front().size())) return;
    if ((places.front().empty() && !takes_pieces(begin, count)) || has_parameters(turns[count / 2])) return;
    if (!waits && !comes_together(turns.front(), begin + count * length)) return;
    std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(begin), count * length, 1);
    for (size_t from = 0, to = 0; from < count; from = to) {
      to = places.front().empty() ? count : next_loop(places, from);
      const auto at = [&](size_t turn) { return turns.begin() + static_cast<std::ptrdiff_t>(turn); };
      if (to - from >= kLeastTurns) out.push_back({Turns(at(from), at(to)), waits});
    }
  }

  using Places = std::vector<std::vector<int64_t>>;  // of each turn, where its slices begin

  /// The turn at which slices are taken again: there the program runs the loop once more.
  static size_t next_loop(const Places& places, size_t from) {
    std::set<std::vector<int64_t>> seen;
    while (from < places.size() && seen.insert(places[from]).second) ++from;
    return from;
  }

  bool computes(uint32_t op) const { return !reads_value(c.op_name(op)) && !events_within(c, c.span_of(op)).empty(); }
  /// Whether the k-th operator of a turn takes a slice only to copy into it.
  bool is_target(const Turn& turn, size_t k) const {
    while (++k < turn.size() && analysis::only_arranges(c.op_name(turn[k]))) continue;
    return k < turn.size() && c.op_name(turn[k]) == "aten::copy_";
  }

  /// The slices that a turn takes by the loop's own number before it computes.
  Places counted_slices(const Turns& turns) const {
    Places out(turns.size());
    const Turn& first = turns.front();
    for (size_t k = 0; k < first.size() && !reads_value(c.op_name(first[k])); ++k) {
      if (out.front().empty() && computes(first[k])) break;
      if (!takes_slice(c.op_name(first[k])) || is_target(first, k)) continue;
      std::vector<int64_t> places;
      for (const Turn& turn : turns) places.push_back(place_of(c, turn[k]).value_or(0));
      if (!counts(places)) continue;
      for (size_t turn = 0; turn < turns.size(); ++turn) out[turn].push_back(places[turn]);
    }
    return out;
  }

  /// Right before the loop, a tensor was taken apart into as many pieces.
  bool takes_pieces(size_t begin, size_t count) const {
    if (begin == 0) return false;
    const uint32_t before = ops_[begin - 1];
    const auto& shapes = c.shapes(before);
    return c.op_name(before) == "aten::unbind" && !shapes.empty() &&
           std::ranges::find(shapes[0].dims, static_cast<int64_t>(count)) != shapes[0].dims.end();
  }

  /// As many slices as a turn takes meet in one operator fewer. One meeting more is with the result of the turn before,
  /// as in a recurrent cell. Tensors meet where an operator takes two of one shape. A copy into a slice
  /// has one source, and a product multiplies by weights.
  /// What the turn computes after the host read a value may be another turn's, too.
  bool is_independent(const Turn& turn, size_t slices) const {
    size_t meetings = 0;
    bool read = false;
    for (const uint32_t op : turn) {
      const std::string_view name = c.op_name(op);
      read |= reads_value(name);
      if (contains(name, "_cell") || gathers(name) || (read && computes(op))) return false;
      if (name == "aten::copy_" || name == "aten::matmul" || is_matrix_product(name)) continue;
      std::set<analysis::Shape> distinct;
      for (const analysis::InputShape& shape : c.shapes(op)) {
        if (!shape.is_list && !shape.dims.empty()) meetings += !distinct.insert(shape.dims).second;
      }
    }
    return meetings < std::max<size_t>(slices, 1);
  }

  /// Whether each turn has parameters of its own: right after its backward functions, their gradients are complete.
  bool has_parameters(const Turn& turn) const {
    const analysis::Forest& forest = c.joined.operators;
    for (const uint32_t outer : turn) {
      for (uint32_t at = forest.position[outer]; at < forest.subtree_end[outer]; ++at) {
        const auto functions = c.backward_functions().find(forest.order[at]);
        if (functions == c.backward_functions().end()) continue;
        for (const uint32_t function : functions->second) {
          const uint32_t next = forest.subtree_end[c.evaluation_of(function)];
          if (next < forest.order.size() && contains(c.op_name(forest.order[next]), "AccumulateGrad")) return true;
        }
      }
    }
    return false;
  }

  /// The results become one tensor after the loop, are copied into one, or are added up as numbers.
  bool comes_together(const Turn& turn, size_t after) const {
    if (after < ops_.size() && gathers(c.op_name(ops_[after]))) return true;
    return std::ranges::any_of(turn, [&](uint32_t op) {
      const std::string_view name = c.op_name(op);
      const bool of_numbers = c.largest_input(op) == 0 && c.shapes(op).size() > 1;
      return name == "aten::copy_" || ((name == "aten::add" || name == "aten::add_") && of_numbers);
    });
  }

  const Context& c;
  const std::vector<uint32_t> ops_;
  std::vector<uint8_t> taken_;
};

}  // namespace

const std::vector<BatchLoop>& Context::batch_loops() const {
  if (batch_loops_) return *batch_loops_;
  std::vector<BatchLoop> out;
  for (uint32_t thread = 0; thread + 1 < joined.operators.thread_begin.size(); ++thread) {
    if (p.threads.rank[thread] != program.rank) continue;
    for (BatchLoop& loop : BatchFinder(*this, thread).run()) out.push_back(std::move(loop));
  }
  batch_loops_ = std::make_shared<const std::vector<BatchLoop>>(std::move(out));
  return *batch_loops_;
}

void run_as_batch(const Context& c, const BatchLoop& loop, Change& change) {
  join_turns(c, loop.turns, 0, change);
  stop_waiting_within(c, {span_of(c, loop.turns.front()).end_ns, span_of(c, loop.turns.back()).end_ns}, change);
}

}  // namespace warplens::findings
