#include "warplens/program/findings/turns.h"

#include <algorithm>

namespace warplens::findings {
namespace {

/// Indexes into Program::calls of those that begin within.
std::pair<size_t, size_t> calls_of(const Context& c, const analysis::Span& span) {
  const auto at = [&](int64_t time) {
    return static_cast<size_t>(std::ranges::lower_bound(c.program.calls, time, {}, &analysis::ProgramCall::start_ns) -
                               c.program.calls.begin());
  };
  return {at(span.start_ns), at(span.end_ns)};
}

}  // namespace

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

analysis::Span span_of(const Context& c, const Turn& turn) {
  return {c.span_of(turn.front()).start_ns, c.span_of(turn.back()).end_ns};
}

std::vector<uint32_t> events_within(const Context& c, const analysis::Span& span) {
  const auto [begin, end] = calls_of(c, span);
  std::vector<uint32_t> out;
  for (size_t i = begin; i < end; ++i) {
    for (uint32_t e = c.program.calls[i].events_begin; e < c.program.calls[i].events_end; ++e) out.push_back(e);
  }
  return out;
}

bool waits_within(const Context& c, const analysis::Span& span) {
  const auto [begin, end] = calls_of(c, span);
  for (size_t i = begin; i < end; ++i) {
    if (c.program.calls[i].blocks()) return true;
  }
  return false;
}

void stop_waiting_within(const Context& c, const analysis::Span& span, Change& change) {
  const auto [begin, end] = calls_of(c, span);
  for (size_t i = begin; i < end; ++i) {
    if (c.program.calls[i].blocks()) change.calls_not_waiting.push_back(c.program.calls[i].row);
  }
}

}  // namespace warplens::findings
