// The calls that make CUDA arrays and copy to and from them.
#include "warplens/cuda_api/arrays.h"
#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/submit.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

enum ArrayFlag : unsigned { kLayered = 1, kCubemap = 4 };
constexpr uint32_t kFaces = 6, kMostTexels = 1 << 27, kMostOfPlane = 1 << 17, kMostOfVolume = 1 << 15;

}  // namespace

namespace warplens::cuda_api {

Error make_array(Runtime& runtime, Array** out, const ChannelDescription* channels, const Extent& extent,
                 unsigned flags) {
  if (out == nullptr || channels == nullptr) return cudaErrorInvalidValue;
  auto made = std::make_unique<Array>();
  simt::Image& image = made->image;
  if (!format_of(*channels, &image.format)) return cudaErrorInvalidChannelDescriptor;
  const size_t widest = extent.depth > 0 ? kMostOfVolume : extent.height > 0 ? kMostOfPlane : kMostTexels;
  if (extent.width == 0 || extent.width > widest) return cudaErrorInvalidValue;
  if (extent.width > kMostTexels || extent.height > kMostTexels || extent.depth > kMostTexels)
    return cudaErrorInvalidValue;
  if ((flags & kCubemap) != 0 && (extent.width != extent.height || extent.depth % kFaces != 0))
    return cudaErrorInvalidValue;
  image.width = static_cast<uint32_t>(extent.width);
  image.height = static_cast<uint32_t>(std::max<size_t>(extent.height, 1));
  image.planes = static_cast<uint32_t>(std::max<size_t>(extent.depth, 1));
  image.row_bytes = uint64_t{image.width} * image.format.bytes();
  image.plane_bytes = image.row_bytes * image.height;
  uint64_t size_bytes = 0;  // width times height fits: each is 27 bits
  if (__builtin_mul_overflow(image.plane_bytes, uint64_t{image.planes}, &size_bytes)) return cudaErrorMemoryAllocation;
  if (size_bytes > runtime.memory_bytes()) return cudaErrorMemoryAllocation;
  const Result<simt::Address> memory = runtime.memory.allocate(size_bytes, "cudaMallocArray");
  if (!memory.ok()) return cudaErrorMemoryAllocation;
  image.at = *memory;
  made->channels = *channels;
  made->extent = extent;
  made->flags = flags;
  *out = made.get();
  runtime.arrays[made.get()] = std::move(made);
  return cudaSuccess;
}

Error end_array(Runtime& runtime, Array* array) {
  const Status freed = runtime.memory.free(array->image.at);
  runtime.arrays.erase(array);
  return freed.ok() ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace warplens::cuda_api

namespace {

/// Between an array and rows elsewhere.
struct Box {
  size_t x_bytes, y, width_bytes, rows;
};
int copy_with_array(void* handle, const Box& box, const Rows& other, bool to_array, int kind, void* stream,
                    const char* name) {
  return call(
      [&](Runtime& runtime) {
        const Array* array = find_array(runtime, handle);
        if (array == nullptr) return cudaErrorInvalidResourceHandle;
        if (!holds(*array, box.x_bytes, box.y, 0, box.width_bytes, box.rows, 1)) return cudaErrorInvalidValue;
        const Rows own = place_in(*array, box.x_bytes, box.y, 0).rows;
        return submit(runtime, stream, NodeKind::kCopy, [=](Runtime& then) {
          return to_array ? copy_rows(then, own, other, box.width_bytes, box.rows, kind)
                          : copy_rows(then, other, own, box.width_bytes, box.rows, kind);
        });
      },
      name);
}

/// `size_bytes` that fill rows one after the other, from (x, y) on.
int copy_line(void* handle, size_t x_bytes, size_t y, void* other, size_t size_bytes, bool to_array, int kind,
              void* stream, const char* name) {
  return call(
      [&](Runtime& runtime) {
        const Array* array = find_array(runtime, handle);
        if (array == nullptr) return cudaErrorInvalidResourceHandle;
        const simt::Image& image = array->image;
        if (y > image.height || x_bytes > image.row_bytes) return cudaErrorInvalidValue;
        const uint64_t first = y * image.row_bytes + x_bytes, all = image.plane_bytes;
        if (first > all || size_bytes > all - first) return cudaErrorInvalidValue;
        auto* own = reinterpret_cast<char*>(image.at) + first;
        return submit(runtime, stream, NodeKind::kCopy, [=](Runtime& then) {
          return to_array ? copy(then, own, other, size_bytes, kind) : copy(then, other, own, size_bytes, kind);
        });
      },
      name);
}

}  // namespace

CUDA_API ChannelDescription cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }

CUDA_API int cudaGetChannelDesc(ChannelDescription* out, void* handle) {
  return call([&](Runtime& runtime) {
    const Array* array = find_array(runtime, handle);
    if (array == nullptr || out == nullptr) return cudaErrorInvalidValue;
    *out = array->channels;
    return cudaSuccess;
  });
}

CUDA_API int cudaMallocArray(Array** out, const ChannelDescription* channels, size_t width, size_t height,
                             unsigned flags) {
  return call([&](Runtime& runtime) { return make_array(runtime, out, channels, {width, height, 0}, flags); });
}
CUDA_API int cudaMalloc3DArray(Array** out, const ChannelDescription* channels, Extent extent, unsigned flags) {
  return call([&](Runtime& runtime) { return make_array(runtime, out, channels, extent, flags); });
}

CUDA_API int cudaFreeArray(void* handle) {
  return call([&](Runtime& runtime) {
    if (handle == nullptr) return cudaSuccess;
    Array* array = find_array(runtime, handle);
    if (array == nullptr) return cudaErrorInvalidValue;
    if (array->is_level) return cudaSuccess;  // as on an H200; the mipmapped array ends it
    return end_array(runtime, array);
  });
}

CUDA_API int cudaArrayGetInfo(ChannelDescription* channels, Extent* extent, unsigned* flags, void* handle) {
  return call([&](Runtime& runtime) {
    const Array* array = find_array(runtime, handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (channels != nullptr) *channels = array->channels;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
  });
}

CUDA_API int cudaMemcpy2DToArrayAsync(void* array, size_t x, size_t y, const void* source, size_t pitch, size_t width,
                                      size_t rows, int kind, void* stream) {
  return copy_with_array(array, {x, y, width, rows}, {const_cast<void*>(source), pitch}, true, kind, stream, __func__);
}
CUDA_API int cudaMemcpy2DToArray(void* array, size_t x, size_t y, const void* source, size_t pitch, size_t width,
                                 size_t rows, int kind) {
  return copy_with_array(array, {x, y, width, rows}, {const_cast<void*>(source), pitch}, true, kind, nullptr, __func__);
}
CUDA_API int cudaMemcpy2DFromArrayAsync(void* target, size_t pitch, void* array, size_t x, size_t y, size_t width,
                                        size_t rows, int kind, void* stream) {
  return copy_with_array(array, {x, y, width, rows}, {target, pitch}, false, kind, stream, __func__);
}
CUDA_API int cudaMemcpy2DFromArray(void* target, size_t pitch, void* array, size_t x, size_t y, size_t width,
                                   size_t rows, int kind) {
  return copy_with_array(array, {x, y, width, rows}, {target, pitch}, false, kind, nullptr, __func__);
}

CUDA_API int cudaMemcpyToArrayAsync(void* array, size_t x, size_t y, const void* source, size_t size_bytes, int kind,
                                    void* stream) {
  return copy_line(array, x, y, const_cast<void*>(source), size_bytes, true, kind, stream, __func__);
}
CUDA_API int cudaMemcpyToArray(void* array, size_t x, size_t y, const void* source, size_t size_bytes, int kind) {
  return copy_line(array, x, y, const_cast<void*>(source), size_bytes, true, kind, nullptr, __func__);
}
CUDA_API int cudaMemcpyFromArrayAsync(void* target, void* array, size_t x, size_t y, size_t size_bytes, int kind,
                                      void* stream) {
  return copy_line(array, x, y, target, size_bytes, false, kind, stream, __func__);
}
CUDA_API int cudaMemcpyFromArray(void* target, void* array, size_t x, size_t y, size_t size_bytes, int kind) {
  return copy_line(array, x, y, target, size_bytes, false, kind, nullptr, __func__);
}

CUDA_API int cudaMemcpy2DArrayToArray(void* target, size_t target_x, size_t target_y, void* source, size_t x, size_t y,
                                      size_t width, size_t rows, int kind) {
  return call([&](Runtime& runtime) {
    const Array *to = find_array(runtime, target), *from = find_array(runtime, source);
    if (to == nullptr || from == nullptr) return cudaErrorInvalidResourceHandle;
    const bool fits = holds(*to, target_x, target_y, 0, width, rows, 1) && holds(*from, x, y, 0, width, rows, 1);
    if (!fits) return cudaErrorInvalidValue;
    return copy_rows(runtime, place_in(*to, target_x, target_y, 0).rows, place_in(*from, x, y, 0).rows, width, rows,
                     kind);
  });
}

CUDA_API int cudaMemcpyArrayToArray(void* target, size_t target_x, size_t target_y, void* source, size_t x, size_t y,
                                    size_t size_bytes, int kind) {
  const Array* from = nullptr;
  {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    from = find_array(runtime, source);
  }
  if (from == nullptr) return cudaErrorInvalidResourceHandle;
  void* first = place_in(*from, x, y, 0).rows.first;
  const size_t begins = static_cast<size_t>(static_cast<char*>(first) - reinterpret_cast<char*>(from->image.at));
  if (begins > from->image.plane_bytes || size_bytes > from->image.plane_bytes - begins) return cudaErrorInvalidValue;
  return copy_line(target, target_x, target_y, first, size_bytes, true, kind, nullptr, __func__);
}
