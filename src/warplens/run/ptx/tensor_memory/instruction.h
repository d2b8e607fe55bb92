// The instruction descriptor of tcgen05.mma: shapes and types of a product, in 32 bits.
#pragma once
#include <cstdint>
#include <string>

#include "warplens/base/status.h"
#include "warplens/isa/ptx/types.h"

namespace warplens::simt::ptx_machine {

enum class TensorKind : uint8_t { kF16, kTf32, kF8f6f4, kI8, kMxf8f6f4, kMxf4, kMxf4nvf4 };

struct TensorProduct {
  uint32_t m = 0, n = 0, k = 0;
  ptx::Type a{}, b{}, d{};
  bool a_transposed = false, b_transposed = false, negate = false, saturate = false;
  bool scaled = false;
  ptx::Type scale{};                            // of a scaled one
  uint32_t a_scale_byte = 0, b_scale_byte = 0;  // of a word of tensor memory, at which a row's scales begin
};

/// Decodes `bits` for `kind`, on one block or a pair. Errors: no hardware has it, or it is not known here.
Result<TensorProduct> read_instruction(uint32_t bits, TensorKind kind, bool pair);

/// Elements lie two in a byte in shared and tensor memory.
inline bool is_packed(TensorKind kind) { return kind == TensorKind::kMxf4 || kind == TensorKind::kMxf4nvf4; }

}  // namespace warplens::simt::ptx_machine
