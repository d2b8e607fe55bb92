// Sources of the kernels that measure ceilings.
#pragma once
#include <string>

namespace warplens::bench {

/// dram_read, dram_write, dram_copy1, dram_copy4, l2_read, l1_read, shared_read, fma_f64, fma_f32, fma_f16x2.
std::string memory_and_fma_source();

/// One kernel `tensor(rounds)` that keeps the tensor cores busy with operands of `type`: "f16", "bf16", "tf32" or
/// "e4m3". `warpgroup`: uses Hopper's asynchronous instruction (sm_90a), else mma.sync. Empty if mma.sync lacks the
/// type.
std::string tensor_source(const std::string& type, bool warpgroup);

/// FLOPs of one block of `tensor` a round.
double tensor_flops_a_round(const std::string& type, bool warpgroup);

}  // namespace warplens::bench
