// Reading a native file in place.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::native {

bool sniff(std::string_view head);

/// A profile whose columns are in `bytes`, which `backing` keeps alive. Everything is checked: sizes, checksums, and
/// that every reference is valid. `name` is for messages. Tables and columns of a newer warplens are skipped and
/// counted in the profile's integrity.
Result<Profile> read(std::string_view bytes, std::shared_ptr<void> backing, const std::string& name);

}  // namespace warplens::native
