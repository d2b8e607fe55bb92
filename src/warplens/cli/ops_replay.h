// A script that runs one operator alone, with inputs of the recorded shapes.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

/// Python for torch that runs one operator alone. It takes the costliest inputs of the calls of `name` ("aten::mm"), on
/// the device if any ran there. It makes them anew (random floats, zeros for integers) and times the operator on them.
/// Errors: no such operator, no recorded shapes, types that are not torch's.
Result<std::string> replay_script(const Profile& profile, std::string_view name);

}  // namespace warplens::cli
