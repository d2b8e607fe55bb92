// Operands of tcgen05: tiles of shared memory, and rows of tensor memory, as dense matrices of bits.
#pragma once
#include "warplens/run/ptx/tensor_memory/instruction.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/matrix/shared_matrix.h"

namespace warplens::simt::ptx_machine {

/// How elements are in 16 bytes of shared memory.
struct TilePacking {
  enum class Kind : uint8_t { kWords, kHalves, kBytes, kFours, kPaddedFours, kPaddedSixes } kind = Kind::kBytes;
  uint32_t elements = 16;  // in 16 bytes
  uint32_t bytes = 16;     // of these 16 that hold elements
};
/// Of elements of `type`; `packed`: kinds that have two fp4 a byte.
TilePacking tile_packing(ptx::Type type, bool packed);

/// The `packing.elements` elements of 16 bytes, `pitch` apart.
void unpack_unit(const uint8_t* unit, TilePacking packing, uint32_t* to, uint32_t pitch);

/// Where a tile goes: element (outer, inner) to `to[outer * outer_pitch + inner * inner_pitch]`.
struct TileTarget {
  uint32_t* to;
  uint32_t outers, inners, outer_pitch, inner_pitch;
};

/// The 16 bytes at `offset` of a block's shared memory, of which one thread's instruction reads `bytes` past ordinary
/// stores; nullptr after a fault.
const uint8_t* shared_unit(Warp& warp, const Op& op, uint32_t lane, const Cta& cta, uint32_t offset, uint32_t bytes);

/// Reads a tile of `cta`'s shared memory. False after a fault.
bool read_shared_tile(Warp& warp, const Op& op, uint32_t lane, const Cta& cta, uint64_t descriptor, TilePacking packing,
                      bool transposed, const TileTarget& target);

}  // namespace warplens::simt::ptx_machine
