// Where one host thread wakes another: autograd's worker at the start of backward, the main thread at its end.
#pragma once
#include "warplens/analysis/critical_path/program.h"

namespace warplens::analysis {

/// Fills Program::hand_overs: gaps of kWarmWakeNs to kLongestWakeNs between an outermost operator of one thread and the
/// next one, of another thread.
void find_hand_overs(const Profile& profile, const Forest& operators, Program& program);

/// Shortens the host work of a changed program (before each call, their own, after the last one) where a thread now sleeps
/// for less than kShortSleepNs, and did for longer: it wakes within kWarmWakeNs.
void wake_faster(const Program& program, const std::vector<int64_t>& own_ns, std::vector<int64_t>& before_ns, int64_t& tail_ns);

inline constexpr int64_t kShortSleepNs = 200'000;   // KVM's default halt_poll_ns: an idle virtual CPU polls that long before it sleeps
inline constexpr int64_t kWarmWakeNs = 30'000;      // seen after shorter sleeps: 20 to 75 us; after longer ones: 200 to 500 us
inline constexpr int64_t kLongestWakeNs = 500'000;  // a longer gap is the program's own work or sleep

}  // namespace warplens::analysis
