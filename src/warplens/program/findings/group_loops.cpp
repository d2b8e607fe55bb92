#include "warplens/program/findings/group_loops.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace warplens::findings {
namespace {

/// The outermost operators of one thread within the window, in order.
std::vector<uint32_t> outermost(const Context& c, uint32_t thread) {
  std::vector<uint32_t> out;
  const analysis::Forest& forest = c.joined.operators;
  for (uint32_t at = forest.thread_begin[thread]; at < forest.thread_begin[thread + 1]; ++at) {
    const uint32_t op = forest.order[at];
    const int64_t start = c.p.operators.start_ns[op];
    if (c.p.operators.kind[op] == OperatorKind::kOperator && c.root_of(op) == op && start >= c.program.start_ns &&
        start < c.program.end_ns)
      out.push_back(op);
  }
  return out;
}

analysis::Span span_of(const Context& c, const std::vector<uint32_t>& turn) {
  return {c.span_of(turn.front()).start_ns, c.span_of(turn.back()).end_ns};
}

/// Indexes into Program::calls of those that begin within.
std::pair<size_t, size_t> calls_of(const Context& c, const analysis::Span& span) {
  const auto at = [&](int64_t time) {
    return static_cast<size_t>(std::ranges::lower_bound(c.program.calls, time, {}, &analysis::ProgramCall::start_ns) -
                               c.program.calls.begin());
  };
  return {at(span.start_ns), at(span.end_ns)};
}

bool waits(const Context& c, const std::vector<uint32_t>& turn) {
  const auto [begin, end] = calls_of(c, span_of(c, turn));
  for (size_t i = begin; i < end; ++i) {
    if (c.program.calls[i].blocks()) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const Context& context, uint32_t thread)
      : c(context),
        ops_(outermost(context, thread)),
        compares_(context.p, [](std::string_view name) { return name == "aten::eq"; }) {
    std::unordered_map<uint32_t, size_t> later;  // by shapes
    next_.assign(ops_.size(), ops_.size());
    for (size_t i = ops_.size(); i-- > 0;) {
      if (!compares_(name(i))) continue;
      const auto shapes = static_cast<uint32_t>(c.p.operators.input_shapes[ops_[i]]);
      if (const auto at = later.find(shapes); at != later.end()) next_[i] = at->second;
      later[shapes] = i;
    }
  }

  std::vector<GroupLoop> run() const {
    std::vector<GroupLoop> out;
    for (size_t i = 0; i < ops_.size();) {
      const GroupLoop loop = loop_at(i);
      if (loop.size() > 1 && waits(c, loop.front())) out.push_back(loop);
      i += std::max<size_t>(1, loop.size() * (loop.empty() ? 0 : loop.front().size()));
    }
    return out;
  }

 private:
  StringId name(size_t i) const { return c.p.operators.name[ops_[i]]; }
  bool same_comparison(size_t a, size_t b) const {
    return compares_(name(b)) && c.p.operators.input_shapes[ops_[a]] == c.p.operators.input_shapes[ops_[b]];
  }
  std::string number(size_t i) const {
    const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[ops_[i]]));
    return inputs.size() > 1 ? inputs[1] : "";
  }

  GroupLoop loop_at(size_t begin) const {
    GroupLoop out;
    if (!compares_(name(begin)) || number(begin).empty()) return out;
    if (next_[begin] == ops_.size()) return out;
    const size_t length = next_[begin] - begin;
    std::set<std::string> seen;
    for (size_t i = begin; i + length <= ops_.size() && same_comparison(begin, i); i += length) {
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
  std::vector<size_t> next_;  // of each comparison the next one of a tensor of that shape, or the end
  mutable NameMemo<bool (*)(std::string_view)> compares_;
};

/// Indexes into Program::events of what a turn launched.
std::vector<uint32_t> events_of(const Context& c, const std::vector<uint32_t>& turn) {
  const auto [begin, end] = calls_of(c, span_of(c, turn));
  std::vector<uint32_t> out;
  for (size_t i = begin; i < end; ++i) {
    for (uint32_t e = c.program.calls[i].events_begin; e < c.program.calls[i].events_end; ++e) out.push_back(e);
  }
  return out;
}

}  // namespace

std::vector<GroupLoop> group_loops(const Context& c) {
  std::vector<GroupLoop> out;
  for (uint32_t thread = 0; thread + 1 < c.joined.operators.thread_begin.size(); ++thread) {
    if (c.p.threads.rank[thread] != c.program.rank) continue;
    for (GroupLoop& loop : Finder(c, thread).run()) out.push_back(std::move(loop));
  }
  return out;
}

void merge_turns(const Context& c, const GroupLoop& loop, Change& change) {
  std::vector<std::vector<uint32_t>> events;
  for (const std::vector<uint32_t>& turn : loop) events.push_back(events_of(c, turn));
  for (size_t k = 0; k < events.front().size(); ++k) {
    int64_t together_ns = 0;
    for (const std::vector<uint32_t>& of_turn : events) {
      if (k < of_turn.size()) together_ns += c.program.events[of_turn[k]].duration_ns;
    }
    change.event_duration.emplace_back(c.program.events[events.front()[k]].row, together_ns);
  }
  for (size_t turn = 1; turn < loop.size(); ++turn) {
    for (const uint32_t event : events[turn]) change.events_removed.push_back(c.program.events[event].row);
  }
  change.host_removed.push_back({span_of(c, loop[1]).start_ns, span_of(c, loop.back()).end_ns});
  const auto [begin, end] = calls_of(c, {span_of(c, loop.front()).start_ns, span_of(c, loop.back()).end_ns});
  for (size_t i = begin; i < end; ++i) {
    if (c.program.calls[i].blocks()) change.calls_not_waiting.push_back(c.program.calls[i].row);
  }
}

}  // namespace warplens::findings
