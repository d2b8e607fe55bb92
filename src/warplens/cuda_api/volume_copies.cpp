// Copies of boxes: between rows with a pitch, and arrays.
#include "warplens/cuda_api/arrays.h"
#include "warplens/cuda_api/copies.h"

namespace warplens::cuda_api {
namespace {

/// One side of a copy of a box. `x` counts bytes, of an array texels.
struct Side {
  const Array* array = nullptr;
  PitchedPointer linear{};
  Position from{};
};

Rows rows_at(const Side& side, size_t plane) {
  const Position& from = side.from;
  if (side.array != nullptr)
    return place_in(*side.array, from.x * side.array->image.format.bytes(), from.y, from.z + plane).rows;
  const size_t rows = (from.z + plane) * side.linear.y_rows + from.y;
  return {static_cast<char*>(side.linear.pointer) + rows * side.linear.pitch + from.x, side.linear.pitch};
}

/// Errors: a handle that is none, a box that does not fit its array.
Error find_side(Runtime& runtime, void* handle, const Copy3D& c, size_t width_bytes, Side* side) {
  if (handle == nullptr) return cudaSuccess;
  side->array = find_array(runtime, handle);
  if (side->array == nullptr) return cudaErrorInvalidResourceHandle;
  const size_t x_bytes = side->from.x * side->array->image.format.bytes();
  const bool fits =
      holds(*side->array, x_bytes, side->from.y, side->from.z, width_bytes, c.extent.height, c.extent.depth);
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

Error copy_volume(Runtime& runtime, const Copy3D& c) {
  Side to{nullptr, c.target, c.target_position}, from{nullptr, c.source, c.source_position};
  const bool both = (c.target_array != nullptr && c.target.pointer != nullptr) ||
                    (c.source_array != nullptr && c.source.pointer != nullptr);
  if (both) return cudaErrorInvalidValue;
  const Array* counted = find_array(runtime, c.source_array != nullptr ? c.source_array : c.target_array);
  const size_t width_bytes = c.extent.width * (counted != nullptr ? counted->image.format.bytes() : 1);
  Error error = find_side(runtime, c.target_array, c, width_bytes, &to);
  if (error == cudaSuccess) error = find_side(runtime, c.source_array, c, width_bytes, &from);
  if (c.extent.width == 0 || c.extent.height == 0) return error;
  for (size_t plane = 0; plane < c.extent.depth && error == cudaSuccess; ++plane)
    error = copy_rows(runtime, rows_at(to, plane), rows_at(from, plane), width_bytes, c.extent.height, c.kind);
  return error;
}

}  // namespace warplens::cuda_api
