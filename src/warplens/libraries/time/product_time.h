// How long a GPU's libraries take for a product of matrices, from its shape, types and device.
#pragma once
#include <array>
#include <cstdint>

#include "warplens/gpu/device.h"

namespace warplens::libraries {

enum class Unit : uint8_t { kF32, kTf32, kF16, kF8, kI8, kF64, kC64, kC128 };

struct ProductShape {
  int64_t m = 0, n = 0, k = 0, batches = 1;
  Unit unit = Unit::kF32;
  int a_bytes = 4, b_bytes = 4, d_bytes = 4;  // of an element
  bool adds = false;                          // C is read
  bool aligned = true;                        // rows or columns of A, B and D begin at multiples of 16 bytes
  bool splits = true;                         // the depth may be split among blocks
  bool implicit = false;                      // a convolution's: blocks gather their operands as they go
  double memory_bytes = 0;                    // that A, B, C and D are in memory, if they are not what their sizes say
};

inline int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct LibraryTime {
  double ns = 0, low_ns = 0, high_ns = 0;  // operands come from DRAM; zeros where no band was measured
  double warm_ns = 0;                      // the same where all operands are in L2; 0: not known
  const char* limited_by = "its start";
  double sm_share = 1;  // of all SMs, 0..1
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
};

/// L2 holds so many bytes that were touched last.
bool fits_l2(double bytes, const gpu::Device& device);

/// The best of several tiles and splits of the depth: waves of tiles, the cost of each step, traffic with L2 and DRAM.
LibraryTime product_time(const ProductShape& shape, const gpu::Device& device);

/// Work that streams its bytes through once: vectors, triangles' borders, transforms' passes.
LibraryTime streaming_time(double bytes, double flops, const gpu::Device& device);

}  // namespace warplens::libraries
