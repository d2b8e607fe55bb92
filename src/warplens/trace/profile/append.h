// Joining profiles.
#pragma once
#include "warplens/trace/profile/profile.h"

namespace warplens {

/// Appends `from` to `to`: its ranks as further ranks, its times moved to the time axis of `to`.
void append_profile(Profile& to, const Profile& from);

}  // namespace warplens
