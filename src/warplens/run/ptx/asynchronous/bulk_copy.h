// cp.async.bulk and its tensor form, tensormap instructions. Copies happen at once: a program may look at their
// destination after it has waited, and not before, which the check of races looks for.
#pragma once
#include <cstdint>

#include "warplens/run/ptx/program.h"
#include "warplens/simt/atomics/reduce.h"

namespace warplens::simt::ptx_machine {

/// Op: a = generic source, b = generic destination, c = bytes, d = generic mbarrier (kNoSlot: none), e = mask of blocks
/// (kNoSlot: this one). atomic: kExchange copies, others reduce elements of type.
void run_bulk_copy(Warp& warp, const Op& op);
/// Op: a = generic address of the map, b = generic shared address, c = first of the coordinates' slots, vector = their
/// number; d = generic mbarrier (kNoSlot: a store), e = mask of blocks. atomic, type as above.
void run_tensor_copy(Warp& warp, const Op& op);
/// st.async, red.async. Op: b = generic destination, c = first of the values' slots, vector = how many, size = bytes of
/// each; d = generic mbarrier (kNoSlot: none). atomic, type as above.
void run_store_async(Warp& warp, const Op& op);
/// Op: a = generic address of the map, b = value (64 bits), value = dimension, field.
void run_tensormap_replace(Warp& warp, const Op& op);
/// Op: a = generic source, b = generic destination: 128 bytes, by one lane.
void run_tensormap_copy(Warp& warp, const Op& op);

enum class TensorField : uint8_t {
  kAddress,
  kRank,
  kBox,
  kDimension,
  kStride,
  kElementStride,
  kElementType,
  kInterleave,
  kSwizzle,
  kFill,
  kAtomicity
};

}  // namespace warplens::simt::ptx_machine
