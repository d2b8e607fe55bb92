// The shared part of instructions on tensor memory: their operations, and addresses that are not allocated.
#pragma once
#include "warplens/run/ptx/tensor_memory.h"
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

/// Op: a = generic address that receives the allocation's, b = columns.
void run_tensor_alloc(Warp& warp, const Op& op);
/// Op: a = tensor address, b = columns.
void run_tensor_dealloc(Warp& warp, const Op& op);
void run_tensor_relinquish(Warp& warp, const Op& op);

enum class TensorShape : uint8_t { k32x32, k16x64, k16x128, k16x256, k16x32Twice };
enum TensorMoveFlags : uint16_t { kHalves = 1, kReduceMin = 2, kReduceMax = 4, kAbsolute = 8, kKeepNan = 16 };
/// Op: a = tensor address; b = first of the registers' slots; c = offset of k16x32Twice's second half; vector =
/// registers, tensor_shape, flags = TensorMoveFlags, e = slot of the reduced value, size = ptx::Type of it.
void run_tensor_load(Warp& warp, const Op& op);
void run_tensor_store(Warp& warp, const Op& op);

enum class TensorUnpack : uint8_t { kNone, k4, k6 };
/// Op: a = tensor address; b = matrix descriptor; size = rows; vector = units of 16 bytes a row; mode = warps that get
/// copies (1: every second, 2: those from the third on, 3: all), unpack, e = kPair for both blocks.
void run_tensor_memory_copy(Warp& warp, const Op& op);
/// Op: a = tensor address, e = kPair.
void run_tensor_shift(Warp& warp, const Op& op);
/// Op: a = generic address of an mbarrier, e = mask of the cluster's blocks, or kNoSlot.
void run_tensor_commit(Warp& warp, const Op& op);

inline constexpr uint32_t kPair = 1;  // Op::e: of .cta_group::2

/// The first of `columns` columns of a block's tensor memory, or nullptr after a fault of `lane`.
uint32_t* tensor_columns(Warp& warp, const Op& op, uint32_t lane, Cta& cta, uint32_t first, uint32_t columns);

/// Faults if a block of the cluster ends without freeing its tensor memory.
bool leaves_tensor_memory(Cluster& cluster);

/// Blocks that an instruction of .cta_group::1 or ::2 works on; fewer than two of ::2 is a fault.
struct TensorBlocks {
  Cta* each[2] = {};
  uint32_t count = 0;
};
TensorBlocks tensor_blocks(Warp& warp, const Op& op, uint32_t lane, bool pair);

}  // namespace warplens::simt::ptx_machine
