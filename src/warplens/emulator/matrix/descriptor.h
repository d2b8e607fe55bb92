// Where wgmma finds its operands in shared memory.
#pragma once
#include <cstdint>

#include "warplens/emulator/asynchronous/tensor_map.h"

namespace warplens::emulator {

/// A matrix descriptor of the PTX ISA: where a tile lies in shared memory.
class Descriptor {
 public:
  explicit Descriptor(uint64_t bits)
      : start_(field(bits, 0)),
        leading_(field(bits, 16)),
        stride_(field(bits, 32)),
        swizzle_(static_cast<uint8_t>((4 - (bits >> 62)) & 3)) {}  // 1, 2, 3 are 128, 64, 32 bytes

  /// Byte offset in shared memory of element (`outer`, `inner`) of a tile whose k runs along rows (`by_k`) or,
  /// transposed, whose rows hold neighbours in m or n. `outer` counts m or n, `inner` k; `bytes` is an element's size.
  uint32_t offset(uint32_t outer, uint32_t inner, uint32_t bytes, bool transposed) const {
    const uint32_t plain = transposed ? along_outer(outer * bytes, inner) : along_inner(outer, inner * bytes);
    return swizzled(plain, swizzle_);
  }

 private:
  static uint32_t field(uint64_t bits, int at) { return static_cast<uint32_t>((bits >> at) & 0x3fff) << 4; }
  uint32_t pitch() const { return swizzle_ == 0 ? 16 : 16u << swizzle_; }

  uint32_t along_inner(uint32_t outer, uint32_t byte) const {
    const uint32_t row = start_ + outer / 8 * stride_ + outer % 8 * pitch();
    return row + byte % pitch() + byte / pitch() * leading_;
  }
  uint32_t along_outer(uint32_t byte, uint32_t inner) const {
    const uint32_t next_row_group = swizzle_ == 0 ? leading_ : stride_,
                   next_column_group = swizzle_ == 0 ? stride_ : leading_;
    return start_ + byte % pitch() + byte / pitch() * next_column_group + inner % 8 * pitch() +
           inner / 8 * next_row_group;
  }

  uint32_t start_, leading_, stride_;
  uint8_t swizzle_;  // TensorSwizzle
};

}  // namespace warplens::emulator
