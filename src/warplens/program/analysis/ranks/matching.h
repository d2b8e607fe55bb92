// Which collective of one rank is which of another, and how far apart the ranks' clocks are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// One collective as every rank saw it: rows of device_events by row of ranks, kNone where a rank has none recorded.
struct MatchedCollective {
  std::vector<uint32_t> events;
};

struct RankClock {
  int64_t shift_ns = 0;     // to be added to this rank's times to stand on the first rank's clock; 0 when within noise
  int64_t measured_ns = 0;  // median difference of the ends of matched collectives, before that decision
  int64_t spread_ns = 0;    // median deviation around it
};

struct RankMatching {
  std::vector<MatchedCollective> collectives;  // in the order of the first rank that has them
  std::vector<RankClock> clocks;               // by row of ranks
  int64_t unmatched = 0;                       // collective kernels that no other rank's could be matched with
};

/// Collectives of a group are matched by sequence number where both sides give one; else their order is aligned: the
/// shift between two ranks' sequences at which sizes agree and the kernels' ends differ by the most constant amount
/// (a collective ends at one time on all ranks; ranks may have lost different parts of the head).
RankMatching match_collectives(const Profile& profile);

/// Whether a device event is a communication kernel: it carries a collective's metadata, or its name is NCCL's or
/// RCCL's.
bool is_collective(const Profile& profile, size_t event);

}  // namespace warplens::analysis
