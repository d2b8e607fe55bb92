// Checks that a profile from outside refers only to what it has.
#pragma once
#include "warplens/base/status.h"
#include "warplens/profile/profile.h"

namespace warplens::native {

/// Every string id, every row of another table and every enumeration within its bounds.
Status check_references(const Profile& profile);

}  // namespace warplens::native
