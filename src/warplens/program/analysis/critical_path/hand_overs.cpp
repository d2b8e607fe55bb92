#include "warplens/program/analysis/critical_path/hand_overs.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

struct Root {
  int64_t start_ns, end_ns;
  uint32_t thread;
};

/// Outermost operators of the window on all threads, by start.
std::vector<Root> outermost(const Profile& p, const Forest& operators, const Program& program) {
  const auto& ops = p.operators;
  const auto is_operator = [&](uint32_t row) { return row != kNone && ops.kind[row] == OperatorKind::kOperator; };
  std::vector<Root> out;
  for (const uint32_t row : operators.order) {
    if (!is_operator(row) || is_operator(operators.parent[row]) || rank_of_operator(p, row) != program.rank) continue;
    if (ops.start_ns[row] >= program.start_ns && ops.start_ns[row] < program.end_ns)
      out.push_back({ops.start_ns[row], ops.start_ns[row] + ops.duration_ns[row], ops.thread[row]});
  }
  std::sort(out.begin(), out.end(), [](const Root& a, const Root& b) { return a.start_ns < b.start_ns; });
  return out;
}

uint32_t first_call_from(const Program& program, int64_t time_ns) {
  const auto at = std::lower_bound(program.calls.begin(), program.calls.end(), time_ns,
                                   [](const ProgramCall& call, int64_t time) { return call.start_ns < time; });
  return static_cast<uint32_t>(at - program.calls.begin());
}

}  // namespace

void find_hand_overs(const Profile& p, const Forest& operators, Program& program) {
  std::vector<Root> roots = outermost(p, operators, program);
  if (roots.empty()) return;
  roots.push_back({program.end_ns, program.end_ns, roots.front().thread});  // who began the window ends it
  std::vector<int64_t> awake_until(p.threads.size(), program.start_ns);
  for (size_t i = 0; i + 1 < roots.size(); ++i) {
    const Root &from = roots[i], &to = roots[i + 1];
    awake_until[from.thread] = std::max(awake_until[from.thread], from.end_ns);
    const int64_t gap_ns = to.start_ns - from.end_ns;
    if (from.thread == to.thread || gap_ns <= kWarmWakeNs || gap_ns >= kLongestWakeNs) continue;
    program.hand_overs.push_back({from.end_ns, to.start_ns, first_call_from(program, awake_until[to.thread]),
                                  first_call_from(program, to.start_ns)});
  }
}

void wake_faster(const Program& program, const std::vector<int64_t>& own_ns, std::vector<int64_t>& before_ns,
                 int64_t& tail_ns) {
  for (const HandOver& wake : program.hand_overs) {
    int64_t slept_ns = 0;
    for (uint32_t i = wake.calls_begin; i < wake.calls_end && slept_ns < kShortSleepNs; ++i)
      slept_ns += program.calls[i].blocks() ? kShortSleepNs : before_ns[i] + own_ns[i];
    if (slept_ns >= kShortSleepNs) continue;
    const bool at_end = wake.calls_end == program.calls.size();
    const ProgramCall* next = at_end ? nullptr : &program.calls[wake.calls_end];
    const int64_t gap_start = at_end ? program.tail_start_ns : next->gap_start_ns,
                  gap_end = at_end ? program.end_ns : next->start_ns;
    const int64_t waking_recorded = std::min(wake.end_ns, gap_end) - std::max(wake.start_ns, gap_start);
    if (waking_recorded <= 0) continue;
    const auto work_ns = static_cast<double>(at_end ? program.tail_ns : next->before_ns);
    const auto waking_ns =
        static_cast<int64_t>(work_ns * static_cast<double>(waking_recorded) / static_cast<double>(gap_end - gap_start));
    int64_t& host_ns = at_end ? tail_ns : before_ns[wake.calls_end];
    host_ns -= std::min(host_ns, std::max<int64_t>(0, waking_ns - kWarmWakeNs));
  }
}

}  // namespace warplens::analysis
