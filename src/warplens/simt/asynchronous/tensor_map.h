// Tensor maps: descriptions of a tensor in global memory, for copies of boxes of it. Programs make them with
// tensormap.replace or through the host. Their layout is that of sm_90, whose compiler writes their fields directly.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/ptx/types.h"

namespace warplens::simt {

/// Numbers as tensormap.replace takes them.
enum class TensorSwizzle : uint8_t { kNone, k32, k64, k128 };

struct TensorMap {
  uint64_t address = 0;
  std::array<uint64_t, 4> strides{};                  // bytes, of dimensions 1 and up
  std::array<uint32_t, 5> dimensions{1, 1, 1, 1, 1};  // elements, innermost first
  std::array<uint32_t, 5> box{1, 1, 1, 1, 1};
  std::array<uint8_t, 5> element_strides{1, 1, 1, 1, 1};
  uint8_t rank = 0;  // dimensions - 1
  uint8_t element_type = 0;
  uint8_t interleave = 0;
  uint8_t swizzle = 0;   // TensorSwizzle
  uint8_t fill_nan = 0;  // outside the tensor: NaN instead of zero
  uint8_t atomicity = 0;
  bool im2col = false;
  bool operator==(const TensorMap&) const = default;
};

inline constexpr uint32_t kTensorMapBytes = 128;
/// The map in these bytes. Layout (from the compiler and cuTensorMapEncodeTiled), in words of 32 bits: 0..1 address; 2:
/// bit 0 im2col, 4..6 rank, 7..10 element type, 11..12 interleave, 13..14 swizzle, 15 fill, 16 tf32; 3..6 strides in
/// units of 16 bytes, 7 their bits 36..39; 8..12 dimensions - 1; 13: element strides - 1 in 3 bits each, and from
/// bit 24 on, through word 14, bytes of box - 1.
TensorMap read_map(const uint8_t* bytes);
/// Keeps the bits outside the fields of TensorMap. False: a value does not fit its field.
bool write_map(const TensorMap& map, uint8_t* bytes);

/// Bytes of an element of `element_type`; 0 for an unknown number.
uint32_t element_bytes(uint8_t element_type);
/// The type in which reductions of boxes compute; `map` must pass check().
ptx::Type reduction_type(const TensorMap& map);

/// True if box copies can be made of it: rank, element type, box and swizzle fit.
Status check(const TensorMap& map);

/// A map of a tensor of `dimensions` elements, innermost first; `strides`: bytes, of the dimensions 1 and up. Like the
/// driver's cuTensorMapEncodeTiled, with the numbers of tensormap.replace. Errors name the value that does not fit.
struct TiledTensor {
  uint64_t address = 0;
  uint8_t element_type = 0;
  std::vector<uint64_t> dimensions;
  std::vector<uint64_t> strides;
  std::vector<uint32_t> box;
  uint8_t swizzle = 0;
  bool fill_nan = false;
};
Result<TensorMap> encode(const TiledTensor& tensor);

/// Error: a copy may not begin there. An H100 ends the kernel unless the innermost coordinate is a multiple of 16
/// bytes.
Status check_start(const TensorMap& map, const std::array<int64_t, 5>& start);

/// Elements that a copy takes along a dimension: each of the box that the stride reaches. The innermost has no stride.
inline uint32_t box_elements(const TensorMap& map, size_t dimension) {
  const uint32_t step = dimension == 0 ? 1 : map.element_strides[dimension];
  return (map.box[dimension] + step - 1) / step;
}

/// Bytes of one box.
uint64_t box_bytes(const TensorMap& map);

/// `offset` in shared memory after the swizzle; both count from the start of shared memory.
inline uint32_t swizzled(uint32_t offset, uint8_t swizzle) {
  constexpr uint32_t kMasks[4] = {0, 0x10, 0x30, 0x70};
  return offset ^ ((offset >> 3) & kMasks[swizzle & 3]);
}

}  // namespace warplens::simt
