// Copies between host and device: checked for kind and bounds, done at once.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// Rows of `width_bytes`, the next one `pitch` bytes on.
struct Rows {
  void* first = nullptr;
  size_t pitch = 0;
};

/// `rows` rows from `source` to `target`. Errors: a side that must be device memory and is not, or ends before the copy
/// does; rows that are wider than a pitch.
Error copy_rows(Runtime& runtime, const Rows& target, const Rows& source, size_t width_bytes, size_t rows, int kind);
Error copy(Runtime& runtime, void* target, const void* source, size_t size_bytes, int kind);
/// A box, plane by plane, as cudaMemcpy3D describes it. Errors: as above; an invalid array or one that does not hold
/// the box.
Error copy_volume(Runtime& runtime, const Copy3D& parameters);

/// Rows of elements of one, two or four bytes, all of one value.
struct FillPattern {
  Rows target;
  uint32_t value, element_bytes;
  size_t count, rows;  // elements of a row
};
Error fill_pattern(Runtime& runtime, const FillPattern& fill);
Error fill_rows(Runtime& runtime, const Rows& target, int value, size_t width_bytes, size_t rows);

}  // namespace warplens::cuda_api
