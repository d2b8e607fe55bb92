// Checks that a profile from outside refers only to its own rows.
#pragma once
#include <functional>
#include <string>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::native {

/// Every string id, every row of another table and every enumeration within its bounds. Of columns that hold one value
/// throughout, as `is_constant` ("operators.name") says, one is looked at.
Status check_references(const Profile& profile, const std::function<bool(const std::string& column)>& is_constant);

}  // namespace warplens::native
