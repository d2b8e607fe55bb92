// The kinds of ranges, by their names.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::recorded {

/// Torch's NVTX texts do not mark the user's ranges: a range is the user's if no operator has its name. `sequence`: of
/// autograd, -1 if there is none.
bool is_operator(std::string_view name, int64_t sequence);

/// A module's forward, which torch's own traces keep among the Python frames.
bool is_module(std::string_view name);

}  // namespace warplens::recorded
