#include <algorithm>
#include <map>
#include <unordered_map>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/id_index.h"
#include "warplens/program/analysis/links.h"

namespace warplens::analysis {
namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

/// A forward thread as backward functions name it: the profiler's number of it, within a rank.
using ThreadNumber = std::pair<uint32_t, int64_t>;
using Votes = std::map<ThreadNumber, std::map<uint32_t, size_t>>;

bool is_backward_function(const Profile& p, uint32_t row) {
  return p.operators.forward_thread[row] != 0 && p.operators.sequence_number[row] >= 0;
}

/// For each thread, its forward operator of each sequence number: the last one to start, since the operator that
/// creates the autograd node is the innermost of those that see its number.
class ForwardOperators {
 public:
  ForwardOperators(const Profile& profile, const Forest& operators) : last_(profile.threads.size()) {
    for (const uint32_t row : operators.order) {
      const int64_t sequence = profile.operators.sequence_number[row];
      if (sequence >= 0 && profile.operators.forward_thread[row] == 0)
        last_[profile.operators.thread[row]][sequence] = row;
    }
  }
  uint32_t find(uint32_t thread, int64_t sequence) const {
    const auto at = last_[thread].find(sequence);
    return at == last_[thread].end() ? kNone : at->second;
  }

 private:
  std::vector<std::unordered_map<int64_t, uint32_t>> last_;
};

/// What the fwdbwd arrows say: each ends at the start of a backward function and starts on its forward thread.
Votes votes_of_flows(const Profile& profile, const Forest& operators) {
  const auto& flows = profile.flows;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> start_threads;  // (rank, id)
  for (size_t i = 0; i < flows.size(); ++i) {
    if (!flows.is_end[i] && profile.text(flows.category[i]) == "fwdbwd")
      start_threads[{profile.threads.rank[flows.thread[i]], flows.id[i]}] = flows.thread[i];
  }
  Votes votes;
  if (start_threads.empty()) return votes;
  const auto& ops = profile.operators;
  for (size_t i = 0; i < flows.size(); ++i) {
    if (!flows.is_end[i] || profile.text(flows.category[i]) != "fwdbwd") continue;
    const uint32_t rank = profile.threads.rank[flows.thread[i]];
    const auto start = start_threads.find({rank, flows.id[i]});
    const uint32_t row =
        innermost_at(operators, ops.start_ns.values(), ops.duration_ns.values(), flows.thread[i], flows.time_ns[i]);
    if (start == start_threads.end() || row == kNone || !is_backward_function(profile, row)) continue;
    ++votes[{rank, ops.forward_thread[row]}][start->second];
  }
  return votes;
}

/// Without arrows: a thread gets a vote for each sequence number that it shares with the backward functions.
Votes votes_of_sequences(const Profile& profile, const ForwardOperators& forward) {
  Votes votes;
  for (uint32_t row = 0; row < profile.operators.size(); ++row) {
    if (!is_backward_function(profile, row)) continue;
    const uint32_t rank = rank_of_operator(profile, row);
    for (uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
      if (profile.threads.rank[thread] == rank && forward.find(thread, profile.operators.sequence_number[row]) != kNone)
        ++votes[{rank, profile.operators.forward_thread[row]}][thread];
    }
  }
  return votes;
}

uint32_t winner(const std::map<uint32_t, size_t>& votes) {
  return std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::map<ThreadNumber, uint32_t> elect(const Profile& profile, const Forest& operators,
                                       const ForwardOperators& forward) {
  std::map<ThreadNumber, uint32_t> threads;
  for (const auto& [number, votes] : votes_of_flows(profile, operators)) threads[number] = winner(votes);
  for (const auto& [number, votes] : votes_of_sequences(profile, forward)) threads.try_emplace(number, winner(votes));
  return threads;
}

}  // namespace

std::map<std::pair<uint32_t, int64_t>, uint32_t> forward_threads(const Profile& profile, const Forest& operators) {
  return elect(profile, operators, ForwardOperators(profile, operators));
}

BackwardLinks link_backward(const Profile& profile, const Forest& operators) {
  const TimedScope timed("link backward to forward");
  const auto& ops = profile.operators;
  const ForwardOperators forward(profile, operators);
  const std::map<ThreadNumber, uint32_t> threads = elect(profile, operators, forward);

  BackwardLinks links;
  links.forward.assign(ops.size(), kNone);
  links.cause.resize(ops.size());
  links.is_backward.resize(ops.size());
  for (const uint32_t row : operators.order) {
    const uint32_t parent = operators.parent[row];
    bool backward = parent != kNone && links.is_backward[parent];
    uint32_t cause = backward ? links.cause[parent] : row;
    if (backward && cause == parent) cause = row;  // nothing above is matched: each operator stands for itself
    if (is_backward_function(profile, row)) {
      const auto thread = threads.find({rank_of_operator(profile, row), ops.forward_thread[row]});
      if (thread != threads.end()) links.forward[row] = forward.find(thread->second, ops.sequence_number[row]);
    }
    if (links.forward[row] != kNone) cause = links.forward[row];
    links.is_backward[row] = backward || links.forward[row] != kNone || ops.forward_thread[row] != 0 ||
                             profile.text(ops.name[row]).starts_with(kEvaluate);
    links.cause[row] = cause;
  }
  return links;
}

}  // namespace warplens::analysis
