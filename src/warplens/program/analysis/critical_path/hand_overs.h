// Where one host thread wakes another: autograd's worker at the start of backward, the main thread at its end.
#pragma once
#include "warplens/program/analysis/critical_path/program.h"

namespace warplens::analysis {

/// Fills Program::hand_overs: gaps of kWarmWakeNs to kLongestWakeNs between an outermost operator of one thread and the
/// next one, of another thread.
void find_hand_overs(const Profile& profile, const Forest& operators, Program& program);

/// Removes the extra time of cold wake-ups. After a sleep below kShortSleepNs (less the profiler's cost), a thread
/// wakes within kWarmWakeNs. Shortens a program's host work (before calls, their own, after the last), recorded or
/// changed.
void wake_faster(const Program& program, const std::vector<int64_t>& own_ns, std::vector<int64_t>& before_ns,
                 int64_t& tail_ns);

/// A core that expects to be idle for longer enters a deep sleep state. C6 has a target residency of 600 to 800 us.
/// Leaving it takes 170 to 290 us on current server CPUs (Linux, drivers/idle/intel_idle.c). Wake-ups recorded on such
/// hosts took 30 to 80 us after shorter sleeps, 200 to 500 us after longer ones.
inline constexpr int64_t kShortSleepNs = 600'000;
inline constexpr int64_t kWarmWakeNs = 40'000;
inline constexpr int64_t kLongestWakeNs = 500'000;  // a longer gap is the program's own work or sleep

}  // namespace warplens::analysis
