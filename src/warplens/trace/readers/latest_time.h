// The times that readers take. Files can claim any.
#pragma once
#include <cstdint>

namespace warplens {

/// 73 years, also since 1970. A start, a duration and a shift between two clocks together fit into 64 bits.
constexpr int64_t kLatestNs = int64_t{1} << 61;

inline bool is_time(int64_t time_ns) { return -kLatestNs < time_ns && time_ns < kLatestNs; }

}  // namespace warplens
