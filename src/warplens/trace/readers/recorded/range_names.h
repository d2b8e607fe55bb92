// What ranges are, by their names.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::recorded {

/// Torch's NVTX texts do not say which ranges are the user's: those that are named as no operator is. `sequence`: of
/// autograd, -1 where there is none.
bool is_operator(std::string_view name, int64_t sequence);

/// A module's forward, which torch's own traces keep among the Python frames.
bool is_module(std::string_view name);

}  // namespace warplens::recorded
