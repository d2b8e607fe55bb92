// The limits of a trace's data, found from the trace itself. Each check examines the rows of one rank and adds counted
// issues. Properties of healthy traces are never reported as damage.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "warplens/trace/profile/profile.h"

namespace warplens {

/// Rows that a rank added: in each table those from the given one on.
struct RankRows {
  uint32_t rank = 0;
  size_t operators = 0, calls = 0, device_events = 0, synchronizations = 0, python_frames = 0;
};

/// All checks of one rank's rows, which must be the last of every table.
void check_rank(Profile& profile, const RankRows& rows);
/// Repeats the checks of every rank, after rows were taken out, and drops their earlier results. The rows of a rank
/// must be together in every table.
void recheck(Profile& profile);
/// Checks that compare ranks with one another; does nothing for a single one.
void check_ranks(Profile& profile);

namespace checks {

void check_launches(const Profile& profile, const RankRows& rows, Integrity& out);
void check_graphs(const Profile& profile, const RankRows& rows, Integrity& out);
void check_times(const Profile& profile, const RankRows& rows, Integrity& out);
void check_streams(const Profile& profile, const RankRows& rows, Integrity& out);
void check_doubled(const Profile& profile, const RankRows& rows, Integrity& out);
void check_nesting(const Profile& profile, const RankRows& rows, Integrity& out);

/// "rank 3 (trace.json)", or the file's name alone if there is only one rank.
std::string rank_name(const Profile& profile, uint32_t rank);

}  // namespace checks
}  // namespace warplens
