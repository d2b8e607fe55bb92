// Parts of a trace, such as one step: a cut leaves a note in the metadata, which written files keep.
#pragma once
#include "warplens/trace/profile/checks/checks.h"

namespace warplens::checks {

/// The note's key; its value is {"to": "step 2", "left_out": 10678}.
inline constexpr const char* kCutKey = "warplens_cut";

void check_cut(const Profile& profile, const RankRows& rows, Integrity& out);

}  // namespace warplens::checks
