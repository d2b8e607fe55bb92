// The box that a tensor copy moves, piece by piece; the caller handles each piece.
#pragma once
#include <array>
#include <cstring>

#include "warplens/simt/asynchronous/tensor_map.h"

namespace warplens::simt {

/// Neighbours of one row of a box, all of which are in the tensor or none.
struct BoxPiece {
  uint32_t offset = 0;  // in shared memory from the box's begin, in bytes, before the swizzle
  uint64_t global = 0;  // address; invalid outside the tensor
  uint32_t bytes = 0;
  bool inside = false;
};

inline constexpr uint32_t kBoxUnitBytes = 16;  // the unit that the swizzle moves as a whole

/// Calls `piece(BoxPiece)` for all of the box at `start` (elements, innermost first) until it answers false, and
/// returns its last answer. `units`: pieces may be of 16 bytes, as the box begins at a multiple of that.
template <typename F>
bool each_piece(const TensorMap& map, const std::array<int64_t, 5>& start, bool units, F piece) {
  const uint32_t element = element_bytes(map.element_type), row_bytes = map.box[0] * element;
  const auto end = static_cast<int64_t>(map.dimensions[0]);
  const uint64_t rows = box_bytes(map) / row_bytes;
  const uint32_t unit = units ? kBoxUnitBytes / element : 1;
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t left = row, address = map.address;
    bool inside = true;
    for (size_t i = 1; i <= map.rank; ++i) {
      const int64_t at = start[i] + static_cast<int64_t>(left % box_elements(map, i)) * map.element_strides[i];
      left /= box_elements(map, i);
      inside &= at >= 0 && at < static_cast<int64_t>(map.dimensions[i]);
      address += static_cast<uint64_t>(at) * map.strides[i - 1];
    }
    for (uint32_t i = 0, count = 0; i < map.box[0]; i += count) {
      const int64_t column = start[0] + static_cast<int64_t>(i), last = column + unit - 1;
      const bool there = inside && column >= 0 && column < end;
      const bool alike = there ? last < end : !inside || last < 0 || column >= end;
      count = alike && i + unit <= map.box[0] ? unit : 1;
      if (!piece(BoxPiece{static_cast<uint32_t>(row) * row_bytes + i * element,
                          address + static_cast<uint64_t>(column) * element, count * element, there}))
        return false;
    }
  }
  return true;
}

/// A load's values past the end of the tensor: zeros, or the NaN of 16 bits that fma.oob knows. An H100 fills elements
/// of 4 and 8 bytes with another pattern, which is no NaN.
inline void fill_outside(const TensorMap& map, uint8_t* to, uint32_t size) {
  constexpr uint8_t kWidePattern = 0xf7;
  const bool wide = element_bytes(map.element_type) > 2;
  std::memset(to, map.fill_nan != 0 && wide ? kWidePattern : 0, size);
  if (map.fill_nan == 0 || wide) return;
  constexpr uint16_t kNan16 = 0x7fff;
  for (uint32_t at = 0; at + 2 <= size; at += 2) std::memcpy(to + at, &kNan16, 2);
}

}  // namespace warplens::simt
