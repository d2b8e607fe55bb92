// One warp's memory request drawn: lanes against the banks of shared memory, or against the sectors of global memory.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/svg.h"
#include "warplens/report/report.h"

namespace warplens::report {

/// As text. Shared memory: a row a pass, a column a bank, and in it the lane that is served. Global memory: a row a
/// sector of 32 bytes, a column for each 4 bytes, and in it the lane that asks for them. If `width` columns (0: no
/// limit) do not hold 32 banks, they are drawn 16 at a time.
std::string draw_access(const AccessExample& access, size_t width = 0);

/// Of accesses in their order, the first load and the first store of each kind of memory.
std::vector<AccessExample> first_of_each_kind(const std::vector<AccessExample>& accesses);

/// The same requests as a picture, a row a lane: its bank and its passes, or its bytes by sector. `width`:
/// the least. Below 500 the squares are smaller.
svg::Picture access_picture(const std::vector<AccessExample>& accesses, int width = 540);

}  // namespace warplens::report
