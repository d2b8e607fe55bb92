// The part of a rank's trace that is compared with other ranks: its sums, and its collectives. A job of a thousand
// ranks is read one rank at a time, so memory holds only their digests.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/intervals.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Sums of one rank, by its own clock.
struct RankFacts {
  int64_t steps = 0;
  int64_t step_ns = 0;  // mean of the steady ones on the host; 0 without steps
  int64_t computation_ns = 0, communication_ns = 0, exposed_communication_ns = 0;  // unions over each device
  int64_t kernels = 0;
  TimeSet busy;  // union over its devices
};

/// By row of ranks.
std::vector<RankFacts> rank_facts(const Profile& profile);

/// The profile with its ranks, devices and collectives alone, each with its own strings; the data's integrity stays.
Profile digest(const Profile& profile);

/// Appends `from` to `to`, facts too, with its ranks as further ones. Ranks without a number get their
/// position.
void append_digest(Profile& to, std::vector<RankFacts>& facts, Profile from, std::vector<RankFacts> from_facts);

}  // namespace warplens::analysis
