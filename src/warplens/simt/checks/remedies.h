// The remedies that order two threads, and which of two remedies serves both of a race's pairs.
#pragma once
#include <cstddef>
#include <string_view>

namespace warplens::simt {

inline constexpr std::string_view kOrdersWarp = "add __syncwarp() between the two accesses of this warp";

/// One that orders more threads also orders fewer. The strongest are those for one kind of access: nothing else takes
/// their place.
size_t strength_of(std::string_view remedy);

}  // namespace warplens::simt
