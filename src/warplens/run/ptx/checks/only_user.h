// Values that a kernel loads in many lanes and continues with in one: Triton's scalars are held by every lane.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

inline constexpr uint32_t kNobody = 0xffffffff, kSeveral = 0xfffffffe;

/// The one thread of each block that stores, or adds to memory, a value from the load of `row`. kNobody if no thread
/// does. kSeveral if more than one do, or if the value decides on something else (a branch, a shuffle, a call).
/// `storing`: by row, the threads (of a block) that ran that store or atomic, in the same way.
uint32_t only_user(const Program& program, uint32_t row, const std::vector<uint32_t>& storing);

}  // namespace warplens::simt::ptx_machine
