// The joins that every analysis needs: operator -> call -> device event, backward -> forward.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "warplens/program/analysis/forest.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// For each row of one table a row of another, or kNone.
using RowLinks = std::vector<uint32_t>;

/// The causes of calls and events. An operator is found by the external id of calls and device events. Without one
/// (other tools' traces, lost ids), it is the innermost operator or range open on the calling thread.
struct Links {
  RowLinks call_operator;   // row of calls -> row of operators
  RowLinks event_call;      // row of device_events -> row of calls, by correlation id
  RowLinks event_operator;  // row of device_events -> row of operators
  RowLinks sync_call;       // row of synchronizations -> row of calls, by correlation id
};

Links link_events(const Profile& profile, const Forest& operators);

/// event_operator of link_events() alone. Builds the operators' forest only if some device event needs it, so it is
/// fast for traces with external ids.
RowLinks link_device_operators(const Profile& profile);

/// event_call of link_events() alone.
RowLinks link_device_calls(const Profile& profile);

/// The forward operator of each piece of backward work.
struct BackwardLinks {
  RowLinks forward;  // row of operators, a backward function -> the forward operator that created it
  RowLinks cause;    // row of operators -> the operator to charge: the forward one for all below a backward
                     // function, the row itself otherwise
  std::vector<bool>
      is_backward;  // row of operators: it runs in the backward pass, matched to a forward operator or not
};

/// By autograd sequence number and forward thread, as torch's own forward-backward arrows are made.
BackwardLinks link_backward(const Profile& profile, const Forest& operators);

/// The host thread (row of threads) for each number by which backward functions of a rank name their forward thread.
std::map<std::pair<uint32_t, int64_t>, uint32_t> forward_threads(const Profile& profile, const Forest& operators);

/// Row of ranks of a row of device_events or operators.
inline uint32_t rank_of_event(const Profile& p, size_t row) { return p.devices.rank[p.device_events.device[row]]; }
inline uint32_t rank_of_operator(const Profile& p, size_t row) { return p.threads.rank[p.operators.thread[row]]; }
inline uint32_t rank_of_call(const Profile& p, size_t row) { return p.threads.rank[p.calls.thread[row]]; }

}  // namespace warplens::analysis
