// From running threads to places in the program.
#pragma once
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

/// The place of a lane of a warp of a block, at the instruction of a row of counts.
Place place_of(const Grid& grid, uint64_t block, uint32_t warp, uint32_t lane, uint32_t row);

/// True if two rows come from one source line: copies of an instruction that a compiler made.
bool same_line(const Program& program, uint32_t row, uint32_t other);

}  // namespace warplens::simt::ptx_machine
