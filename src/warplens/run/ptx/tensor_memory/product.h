// tcgen05.mma: one thread multiplies matrices in shared and tensor memory.
#pragma once
#include "warplens/run/ptx/program.h"
#include "warplens/run/ptx/tensor_memory/instruction.h"

namespace warplens::simt::ptx_machine {

/// Op::flags of run_tensor_product.
enum TensorProductFlags : uint16_t { kATensor = 1, kOnPair = 2, kMasksLanes = 4 };

/// The layout of Program::slots from Op::list on.
enum TensorProductSlot : uint32_t {
  kSlotD,
  kSlotA,
  kSlotB,
  kSlotDescriptor,
  kSlotEnable,
  kSlotScaleA,
  kSlotScaleB,
  kSlotMasks
};

/// Op: list, tensor_kind, flags = TensorProductFlags, vector = scales a row, size = power of
/// two by which D is divided before.
void run_tensor_product(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
