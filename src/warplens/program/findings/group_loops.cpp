#include "warplens/program/findings/group_loops.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "warplens/program/findings/kernel_classes.h"
#include "warplens/program/findings/launch_shape.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/replaced_work.h"

namespace warplens::findings {
namespace {

class Finder {
 public:
  Finder(const Context& context, uint32_t thread)
      : c(context), ops_(outermost(context, thread)), kinds_(context.p, [](std::string_view name) {
          if (name == "aten::eq") return Kind::kComparison;
          if (name == "aten::select") return Kind::kPick;
          return name == "aten::where" || name == "aten::nonzero" || name == "aten::argwhere" ? Kind::kSearch
                                                                                              : Kind::kOther;
        }) {
    std::unordered_map<uint32_t, size_t> later;  // by shapes
    next_.assign(ops_.size(), ops_.size());
    for (size_t i = ops_.size(); i-- > 0;) {
      if (!begins_turn(i)) continue;
      const auto shapes = static_cast<uint32_t>(c.p.operators.input_shapes[ops_[i]]);
      if (const auto at = later.find(shapes); at != later.end())
        next_[i] = number(at->second) == number(i) ? next_[at->second] : at->second;
      later[shapes] = i;
    }
  }

  std::vector<Turns> run() const {
    std::vector<Turns> out;
    for (size_t i = 0; i < ops_.size();) {
      const Turns loop = loop_at(i);
      if (loop.size() > 1 && waits_within(c, span_of(c, loop.front()))) out.push_back(loop);
      i += std::max<size_t>(1, loop.size() * (loop.empty() ? 0 : loop.front().size()));
    }
    return out;
  }

 private:
  enum class Kind : uint8_t { kOther, kComparison, kPick, kSearch };

  StringId name(size_t i) const { return c.p.operators.name[ops_[i]]; }
  Kind kind(size_t i) const { return i < ops_.size() ? kinds_(name(i)) : Kind::kOther; }
  /// With a comparison, or with one of several masks that is then searched.
  bool begins_turn(size_t i) const {
    return kind(i) == Kind::kComparison || (kind(i) == Kind::kPick && kind(i + 1) == Kind::kSearch);
  }
  bool same_beginning(size_t a, size_t b) const {
    return begins_turn(b) && name(a) == name(b) &&
           c.p.operators.input_shapes[ops_[a]] == c.p.operators.input_shapes[ops_[b]];
  }
  /// What is compared with, or the mask's number.
  std::string number(size_t i) const {
    const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[ops_[i]]));
    const size_t at = kind(i) == Kind::kPick ? 2 : 1;
    return inputs.size() > at ? inputs[at] : "";
  }

  Turns loop_at(size_t begin) const {
    Turns out;
    if (!begins_turn(begin) || number(begin).empty()) return out;
    if (next_[begin] == ops_.size()) return out;
    const size_t length = next_[begin] - begin;
    std::set<std::string> seen;
    for (size_t i = begin; i + length <= ops_.size() && same_beginning(begin, i); i += length) {
      const bool same = std::equal(
          ops_.begin() + static_cast<std::ptrdiff_t>(i), ops_.begin() + static_cast<std::ptrdiff_t>(i + length),
          ops_.begin() + static_cast<std::ptrdiff_t>(begin),
          [&](uint32_t a, uint32_t b) { return c.p.operators.name[a] == c.p.operators.name[b]; });
      if (!same || !seen.insert(number(i)).second) break;
      out.emplace_back(ops_.begin() + static_cast<std::ptrdiff_t>(i),
                       ops_.begin() + static_cast<std::ptrdiff_t>(i + length));
    }
    return out;
  }

  const Context& c;
  const std::vector<uint32_t> ops_;
  std::vector<size_t> next_;  // of each beginning of a turn the next one of that shape with another number, or the end
  mutable NameMemo<Kind (*)(std::string_view)> kinds_;
};

/// What one turn does in the forward or in the backward pass.
struct Part {
  std::vector<analysis::Span> host;
  std::vector<uint32_t> events;  // indexes into Program::events
};

/// Whether a kernel reads all that is compared with the number: one pass over it does that for all turns.
bool reads_all(const Context& c, const ProgramEvent& event, int64_t compared) {
  const uint32_t op = c.op_of(event);
  return op != kNone && moves_memory(c, event) && c.largest_input(op) == compared;
}

/// The share of the device that a kernel fills: blocks of other turns can run beside its own.
double filled(const Context& c, const ProgramEvent& event) {
  const uint32_t config = c.p.device_events.launch_config[event.row];
  if (config == kNone || c.hardware.sm_count <= 0) return 1;
  const double blocks = static_cast<double>(blocks_of(c, config));
  const double at_once = static_cast<double>(c.hardware.sm_count) * std::max(blocks_per_sm(c, config), 1);
  return blocks > 0 ? std::min<double>(1, blocks / at_once) : 1;
}

/// Of an operator's tensors, where the shapes tell.
double least_bytes(const Context& c, const ProgramEvent& event) {
  const uint32_t op = c.op_of(event);
  return op == kNone ? 0 : analysis::least_bytes(c.p, op).value_or(0);
}

/// All turns as one: the fullest stays. Each of its kernels works as long as those in its place in all turns, but for
/// those that read all rows in every turn. Kernels with few blocks leave room for each other.
void join_parts(const Context& c, const std::vector<Part>& turns, int64_t compared, Change& change) {
  const auto fullest = std::ranges::max_element(turns, {}, [](const Part& part) { return part.events.size(); });
  for (size_t k = 0; k < fullest->events.size(); ++k) {
    double together_ns = 0, bytes = 0;
    int64_t longest_ns = 0;
    bool each_reads_all = true;
    for (const Part& turn : turns) {
      if (k >= turn.events.size()) continue;
      const ProgramEvent& event = c.program.events[turn.events[k]];
      together_ns += filled(c, event) * static_cast<double>(event.duration_ns);
      bytes += least_bytes(c, event);
      longest_ns = std::max(longest_ns, event.duration_ns);
      each_reads_all = each_reads_all && reads_all(c, event, compared);
    }
    change.event_duration.emplace_back(
        c.program.events[fullest->events[k]].row,
        each_reads_all ? longest_ns
                       : std::max(longest_ns, static_cast<int64_t>(std::max(together_ns, moving_ns(c, bytes)))));
  }
  for (const Part& turn : turns) {
    if (&turn == &*fullest) continue;
    for (const uint32_t event : turn.events) change.events_removed.push_back(c.program.events[event].row);
    change.host_removed.insert(change.host_removed.end(), turn.host.begin(), turn.host.end());
  }
}

/// The Python between two turns belongs to the second.
std::vector<Part> forward_of(const Context& c, const Turns& loop) {
  std::vector<Part> out;
  for (const Turn& turn : loop) {
    const analysis::Span span = span_of(c, turn);
    const int64_t start_ns = out.size() < 2 ? span.start_ns : out.back().host.front().end_ns;
    out.push_back({{{start_ns, span.end_ns}}, events_within(c, span)});
  }
  return out;
}

/// With what autograd does around a backward function.
std::vector<Part> backward_of(const Context& c, const Turns& loop) {
  const analysis::Forest& forest = c.joined.operators;
  std::vector<Part> out(loop.size());
  for (size_t turn = 0; turn < loop.size(); ++turn) {
    for (const uint32_t outer : loop[turn]) {
      for (uint32_t at = forest.position[outer]; at < forest.subtree_end[outer]; ++at) {
        const auto functions = c.backward_functions().find(forest.order[at]);
        if (functions == c.backward_functions().end()) continue;
        for (const uint32_t function : functions->second)
          out[turn].host.push_back(c.span_of(c.evaluation_of(function)));
      }
    }
    std::ranges::sort(out[turn].host, {}, &analysis::Span::start_ns);
    for (const analysis::Span& span : out[turn].host) {
      const std::vector<uint32_t> events = events_within(c, span);
      out[turn].events.insert(out[turn].events.end(), events.begin(), events.end());
    }
  }
  return out;
}

}  // namespace

std::vector<Turns> group_loops(const Context& c) {
  std::vector<Turns> out;
  for (uint32_t thread = 0; thread + 1 < c.joined.operators.thread_begin.size(); ++thread) {
    if (c.p.threads.rank[thread] != c.program.rank) continue;
    for (Turns& loop : Finder(c, thread).run()) out.push_back(std::move(loop));
  }
  return out;
}

void join_turns(const Context& c, const Turns& loop, int64_t shared, Change& change) {
  join_parts(c, forward_of(c, loop), shared, change);
  join_parts(c, backward_of(c, loop), shared, change);
}

void merge_turns(const Context& c, const Turns& loop, Change& change) {
  join_turns(c, loop, c.largest_input(loop.front().front()), change);
  stop_waiting_within(c, {span_of(c, loop.front()).start_ns, span_of(c, loop.back()).end_ns}, change);
}

}  // namespace warplens::findings
