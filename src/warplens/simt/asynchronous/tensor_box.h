// The box that a tensor copy moves, piece by piece; the caller handles each piece.
#pragma once
#include <algorithm>
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

inline constexpr uint32_t kMapAlignment = 64, kBoxAlignment = 128;  // of a map, and of a box in shared memory
inline constexpr uint32_t kBoxUnitBytes = 16;                       // the unit that the swizzle moves as a whole

/// Bytes from row to row of a box in shared memory: a swizzle spreads rows that are narrower.
inline uint32_t row_pitch(const TensorMap& map) {
  constexpr uint32_t kSpans[4] = {0, 32, 64, 128};
  return std::max(kSpans[map.swizzle & 3], map.box[0] * element_bytes(map.element_type));
}

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
      if (!piece(BoxPiece{static_cast<uint32_t>(row) * row_pitch(map) + i * element,
                          address + static_cast<uint64_t>(column) * element, count * element, there}))
        return false;
    }
  }
  return true;
}

/// A load's values past the end of the tensor: zeros, or an H100's pattern, which is a NaN in each floating-point type.
inline void fill_outside(const TensorMap& map, uint8_t* to, uint32_t size) {
  constexpr uint16_t kNan = 0x7ff7;
  std::memset(to, 0, size);
  if (map.fill_nan == 0) return;
  for (uint32_t at = 0; at + 2 <= size; at += 2) std::memcpy(to + at, &kNan, 2);
}

/// To the nearest number of 10 fraction bits, even ones where two are as near; one NaN.
inline uint32_t as_tf32(uint32_t bits) {
  constexpr uint32_t kInfinity = 0x7f800000, kNan = 0x7fffe000, kLeast = 1u << 13;
  if ((bits & 0x7fffffff) > kInfinity) return kNan;
  return (bits + kLeast / 2 - 1 + (bits / kLeast & 1)) & ~(kLeast - 1);
}

/// Copies a piece inside the tensor, as a load does.
inline void load_piece(const TensorMap& map, uint8_t* to, const uint8_t* from, uint32_t size) {
  std::memcpy(to, from, size);
  constexpr uint8_t kTf32 = 11;  // and 12, tf32.ftz
  if (map.element_type < kTf32) return;
  for (uint32_t at = 0; at + 4 <= size; at += 4) {
    uint32_t bits;
    std::memcpy(&bits, to + at, 4);
    bits = as_tf32(bits);
    std::memcpy(to + at, &bits, 4);
  }
}

}  // namespace warplens::simt
