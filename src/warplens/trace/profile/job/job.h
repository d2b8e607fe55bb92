// The ranks of one job compared: whether they belong to one job, their clock offsets, and their matching
// collectives.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warplens/trace/profile/job/fit.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::job {

/// One rank's clock relative to the first rank's.
struct RankClock {
  bool sure = false;
  int64_t shift_ns = 0;   // to be added to this rank's times; 0 when not sure or within noise
  int64_t fitted_ns = 0;  // the shift at which the collectives agree best, noise or not
  int64_t spread_ns = 0;  // how much the ends of its collectives scatter around that
  size_t matched = 0;     // collectives that show it
  size_t possible = 0;    // collectives that could have
};

/// One collective as every rank saw it: rows of device_events by row of ranks, kNone for a rank without a record.
struct MatchedCollective {
  std::vector<uint32_t> events;
};

struct Job {
  std::vector<RankClock> clocks;               // by row of ranks
  std::vector<MatchedCollective> collectives;  // of two ranks or more, in the order of their ends
  int64_t unmatched = 0;                       // collective kernels that no other rank's could be matched with
};

/// Ranks that share no group with the first are aligned by way of others.
Job align_ranks(const Profile& profile);

/// Why the ranks cannot be of one job; no value where they may be.
std::optional<std::string> not_one_job(const Profile& profile, const Job& job);

}  // namespace warplens::job
