// CUDA arrays: images in device memory behind a handle.
#pragma once
#include "warplens/cuda_api/abi.h"
#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// True if the array belongs to this runtime.
Array* find_array(Runtime& runtime, void* handle);

Mipmap* find_mipmap(Runtime& runtime, void* handle);

/// A new one. Errors: a format, size or flag that arrays do not have; no memory for it.
Error make_array(Runtime& runtime, Array** out, const ChannelDescription* channels, const Extent& extent,
                 unsigned flags);
/// Frees its memory.
Error end_array(Runtime& runtime, Array* array);

/// Where a copy to or from an array goes.
struct ArrayPlace {
  Rows rows;
  uint64_t plane_bytes = 0;
  uint32_t texel_bytes = 1;
};
/// The texel (x, y, z); x in bytes.
ArrayPlace place_in(const Array& array, size_t x_bytes, size_t y, size_t z);

/// True if a box, its width in bytes, is within.
bool holds(const Array& array, size_t x_bytes, size_t y, size_t z, size_t width_bytes, size_t rows, size_t planes);

/// The texel format of a channel description. False: one that there is not.
bool format_of(const ChannelDescription& channels, simt::TexelFormat* format);

}  // namespace warplens::cuda_api
