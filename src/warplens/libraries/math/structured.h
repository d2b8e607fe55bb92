// Matrices with structured sparsity, as sparse tensor cores take them. Two of each four elements along the depth of a
// product are zero (f32: one of each two).
#pragma once
#include <cstdint>

#include "warplens/base/status.h"
#include "warplens/libraries/math/number.h"

namespace warplens::libraries {

/// A dense matrix: `lines` lines along the product's depth. Steps are in elements.
struct StructuredShape {
  Number number = Number::kF16;
  int64_t lines = 0, depth = 0;
  int64_t line_step = 0, depth_step = 1;

  /// Lines of elements one after the other.
  StructuredShape packed() const { return {number, lines, depth, depth, 1}; }
};

/// Elements that share two (f32: one) kept ones.
inline int64_t group_of(Number number) { return size_bytes(number) == 4 ? 2 : 4; }

/// The size of the compressed matrix: the kept elements, line by line, then four bits for each group with their places.
int64_t compressed_bytes(const StructuredShape& shape);

/// Keeps the first elements of each group that are not zero. Returns how many elements beyond them were not zero.
int64_t compress(const StructuredShape& shape, const void* dense, void* compressed);
void expand(const StructuredShape& shape, const void* compressed, void* dense);

enum class Prune : uint8_t {
  kTile,   // of a tile of four by four (f32: two by two), as many in each row as in each column
  kStrip,  // of each group for itself
};
/// Zeros the elements whose magnitudes add up to least. `dense` and `pruned` may be the same. Errors: tiles do not fill
/// the matrix.
Status prune(const StructuredShape& shape, Prune how, const void* dense, void* pruned);
bool is_pruned(const StructuredShape& shape, const void* dense);

}  // namespace warplens::libraries
