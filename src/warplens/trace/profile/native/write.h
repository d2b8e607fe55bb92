// Writing a profile as a native file.
#pragma once
#include <string>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::native {

/// Writes the profile to `path` ("-" is standard output), column by column, without a copy of it in memory.
Status write(const Profile& profile, const std::string& path, bool overwrite);

}  // namespace warplens::native
