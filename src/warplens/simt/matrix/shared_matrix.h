// Matrices in shared memory as wgmma and tcgen05 name them: a descriptor says where a tile lies, and how it is
// swizzled.
#pragma once
#include <cstdint>

namespace warplens::simt {

/// A matrix descriptor of the PTX ISA. "Outer" counts m or n, "inner" k.
class SharedMatrix {
 public:
  /// Bits 62-63: 1, 2, 3 are a swizzle of 128, 64, 32 bytes.
  static SharedMatrix of_wgmma(uint64_t bits) {
    const auto mode = static_cast<uint32_t>(bits >> 62);
    return {bits, mode == 0 ? kUnit : kUnit << (4 - mode), mode == 0 ? 0 : (8u >> (mode - 1)) - 1, 4};
  }
  /// Bits 61-63: 2, 4, 6 are a swizzle of 128, 64, 32 bytes; 1 is one of 128 bytes in atoms of 32.
  static SharedMatrix of_tcgen05(uint64_t bits) {
    const auto mode = static_cast<uint32_t>(bits >> 61);
    if (mode == 1) return {bits, 8 * kUnit, 3, 5};
    SharedMatrix out = of_wgmma(bits);
    out.base_ = static_cast<uint32_t>(bits >> 49) & 7;
    return out;
  }
  static bool is_tcgen05(uint64_t bits) {
    const uint64_t mode = bits >> 61;
    return (mode <= 2 || mode == 4 || mode == 6) && (bits >> 52 & 1) == 0;
  }

  /// Byte offset in shared memory of byte `byte` along k of row `outer`: k runs along rows.
  uint32_t along_inner(uint32_t outer, uint32_t byte) const {
    return swizzled(start_ + outer / 8 * stride_ + outer % 8 * pitch_ + byte % pitch_ + byte / pitch_ * leading_);
  }
  /// The same for a transposed tile, whose rows hold neighbours in m or n: byte `byte` along these, at k = `inner`.
  uint32_t along_outer(uint32_t byte, uint32_t inner) const {
    const bool plain = pitch_ == kUnit;
    const uint32_t rows = shift_ == 5 ? 4 : 8;
    return swizzled(start_ + byte % pitch_ + byte / pitch_ * (plain ? stride_ : leading_) + inner % rows * pitch_ +
                    inner / rows * (plain ? leading_ : stride_));
  }

  /// Byte offset of element (`outer`, `inner`) of `bytes` bytes; `transposed`: rows hold neighbours in m or n.
  uint32_t offset(uint32_t outer, uint32_t inner, uint32_t bytes, bool transposed) const {
    return transposed ? along_outer(outer * bytes, inner) : along_inner(outer, inner * bytes);
  }

  static constexpr uint32_t kUnit = 16;  // bytes that stay together

 private:
  SharedMatrix(uint64_t bits, uint32_t pitch, uint32_t mask, uint32_t shift)
      : start_(field(bits, 0)),
        leading_(field(bits, 16)),
        stride_(field(bits, 32)),
        pitch_(pitch),
        mask_(mask),
        shift_(shift) {}
  static uint32_t field(uint64_t bits, int at) { return static_cast<uint32_t>((bits >> at) & 0x3fff) << 4; }
  /// The number of the 128-byte line in the pattern, from its start, goes into the address of the unit.
  uint32_t swizzled(uint32_t offset) const { return offset ^ (((offset >> 7) - base_) & mask_) << shift_; }

  uint32_t start_, leading_, stride_;
  uint32_t pitch_, mask_, shift_, base_ = 0;
};

}  // namespace warplens::simt
