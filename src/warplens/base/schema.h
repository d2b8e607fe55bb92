// The version of every JSON that the program writes.
#pragma once
#include <cstdint>

namespace warplens {

/// `schema_version` of every report. It grows when a member changes its meaning or goes; members may be added.
inline constexpr int64_t kSchemaVersion = 1;

}  // namespace warplens
