// Host operators that take long without launching anything: which of them make data.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::analysis {

inline constexpr int64_t kLongOperatorNs = 100'000;  // an operator without launches this long makes data

/// Views, allocations, frames of autograd and of a compiler, collectives: they compute nothing. If one takes long, the
/// host was slow, waiting or compiling, and no other process could prepare its result.
bool only_arranges(std::string_view op);

}  // namespace warplens::analysis
