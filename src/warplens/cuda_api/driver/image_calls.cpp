// The driver's arrays, textures and surfaces.
#include <algorithm>
#include <array>

#include "warplens/cuda_api/arrays.h"
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/simt/asynchronous/tensor_map.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

struct ArrayDescription {
  size_t width, height;
  int format;
  unsigned channels;
};
struct ArrayDescription3D {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct DriverResource {
  int kind;
  union {
    void* array;
    struct {
      void* pointer;
      int format;
      unsigned channels;
      size_t size, height, pitch;
    } linear;
    int room[32];
  };
  unsigned flags;
};
static_assert(sizeof(DriverResource) == 144);
struct DriverTexture {
  int address_mode[3], filter_linear;
  unsigned flags, max_anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most, border[4];
  int room[12];
};
static_assert(sizeof(DriverTexture) == 104);
enum TextureFlag : unsigned { kReadAsInteger = 1, kNormalizedCoordinates = 2, kFromSrgb = 16 };

/// CU_AD_FORMAT_*: unsigned 1 to 3, signed 8 to 10, half 16, float 32. kind -1: another.
ChannelDescription channels_of(int format, unsigned count) {
  constexpr int kHalf = 16, kFloat = 32, kFirstUnsigned = 1, kFirstSigned = 8, kFloats = 2;
  int bits = 0, kind = -1;
  if (format == kHalf || format == kFloat) bits = format, kind = kFloats;
  else if (format >= kFirstUnsigned && format < kFirstUnsigned + 3) bits = 8 << (format - kFirstUnsigned), kind = 1;
  else if (format >= kFirstSigned && format < kFirstSigned + 3) bits = 8 << (format - kFirstSigned), kind = 0;
  const auto channel = [&](unsigned k) { return k < count ? bits : 0; };
  return {channel(0), channel(1), channel(2), channel(3), kind};
}

/// The other way round; `count`: of channels.
int format_of_channels(const ChannelDescription& channels, unsigned* count) {
  constexpr int kFirstUnsigned = 1, kFirstSigned = 8, kUnsigned = 1, kSigned = 0;
  *count = 0;
  for (const int bits : {channels.x, channels.y, channels.z, channels.w}) *count += bits != 0 ? 1 : 0;
  const int step = channels.x / 16;  // 8, 16 and 32 bits
  if (channels.kind == kUnsigned) return kFirstUnsigned + step;
  return channels.kind == kSigned ? kFirstSigned + step : channels.x;
}

/// Nothing for an array that is none.
ChannelDescription channels_of(Runtime& runtime, const ResourceDescription& resource) {
  if (resource.kind == kArrayResource) {
    const Array* array = find_array(runtime, resource.array);
    return array != nullptr ? array->channels : ChannelDescription{};
  }
  if (resource.kind != kMipmapResource) return resource.linear.channels;
  const Mipmap* mipmap = find_mipmap(runtime, resource.array);
  return mipmap != nullptr ? mipmap->levels.front()->channels : ChannelDescription{};
}

ResourceDescription resource_of(const DriverResource& from) {
  ResourceDescription out{};
  out.kind = from.kind;
  if (from.kind == kArrayResource || from.kind == kMipmapResource) {
    out.array = from.array;
    return out;
  }
  out.linear.pointer = from.linear.pointer;
  out.linear.channels = channels_of(from.linear.format, from.linear.channels);
  out.linear.size = from.linear.size;
  out.linear.height = from.linear.height;
  out.linear.pitch = from.linear.pitch;
  return out;
}

}  // namespace

CUDA_API int cuArrayCreate_v2(Array** out, const ArrayDescription* d) {
  return in_context([&](Runtime&) -> int {
    if (d == nullptr) return cudaErrorInvalidValue;
    const ChannelDescription channels = channels_of(d->format, d->channels);
    return cudaMallocArray(out, &channels, d->width, d->height, 0);
  });
}
CUDA_API int cuArray3DCreate_v2(Array** out, const ArrayDescription3D* d) {
  return in_context([&](Runtime&) -> int {
    if (d == nullptr) return cudaErrorInvalidValue;
    const ChannelDescription channels = channels_of(d->format, d->channels);
    return cudaMalloc3DArray(out, &channels, {d->width, d->height, d->depth}, d->flags);
  });
}
CUDA_API int cuArrayDestroy(void* array) {
  return in_context(
      [&](Runtime&) { return array != nullptr ? cudaFreeArray(array) : int{cudaErrorInvalidResourceHandle}; });
}

CUDA_API int cuArray3DGetDescriptor_v2(ArrayDescription3D* out, void* handle) {
  return in_context([&](Runtime& runtime) -> int {
    const Array* array = find_array(runtime, handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (out == nullptr) return cudaErrorInvalidValue;
    const Extent& size = array->extent;
    *out = {size.width, size.height, size.depth, 0, 0, array->flags};
    out->format = format_of_channels(array->channels, &out->channels);
    return cudaSuccess;
  });
}
CUDA_API int cuArrayGetDescriptor_v2(ArrayDescription* out, void* handle) {
  ArrayDescription3D whole{};
  const int error = cuArray3DGetDescriptor_v2(&whole, handle);
  if (error != kDriverSuccess) return error;
  if (out == nullptr) return kDriverInvalidValue;
  *out = {whole.width, whole.height, whole.format, whole.channels};
  return kDriverSuccess;
}

CUDA_API int cuMipmappedArrayCreate(Mipmap** out, const ArrayDescription3D* d, unsigned levels) {
  return in_context([&](Runtime&) -> int {
    if (d == nullptr) return cudaErrorInvalidValue;
    const ChannelDescription channels = channels_of(d->format, d->channels);
    return cudaMallocMipmappedArray(out, &channels, {d->width, d->height, d->depth}, levels, d->flags);
  });
}
CUDA_API int cuMipmappedArrayGetLevel(Array** out, void* handle, unsigned level) {
  return in_context([&](Runtime&) { return cudaGetMipmappedArrayLevel(out, handle, level); });
}
CUDA_API int cuMipmappedArrayDestroy(void* handle) {
  return in_context([&](Runtime&) {
    return handle != nullptr ? cudaFreeMipmappedArray(handle) : int{cudaErrorInvalidResourceHandle};
  });
}

CUDA_API int cuTexObjectCreate(uint64_t* object, const DriverResource* resource, const DriverTexture* how,
                               const int* view) {
  return in_context([&](Runtime& runtime) -> int {
    if (resource == nullptr || how == nullptr) return cudaErrorInvalidValue;
    TextureDescription texture{};
    std::ranges::copy(how->address_mode, texture.address_mode);
    std::ranges::copy(how->border, texture.border);
    texture.filter_linear = how->filter_linear;
    texture.srgb = (how->flags & kFromSrgb) != 0 ? 1 : 0;
    texture.normalized_coordinates = (how->flags & kNormalizedCoordinates) != 0 ? 1 : 0;
    const ResourceDescription described = resource_of(*resource);
    texture.max_anisotropy = how->max_anisotropy;
    texture.mipmap_filter_linear = how->mipmap_filter;
    texture.mipmap_bias = how->mipmap_bias;
    texture.mipmap_least = how->mipmap_least;
    texture.mipmap_most = how->mipmap_most;
    const ChannelDescription channels = channels_of(runtime, described);
    constexpr int kFloats = 2;
    texture.read_normalized = (how->flags & kReadAsInteger) == 0 && channels.kind != kFloats && channels.x < 32 ? 1 : 0;
    return cudaCreateTextureObject(object, &described, &texture, view);
  });
}
CUDA_API int cuTexObjectDestroy(uint64_t object) {
  return in_context([&](Runtime&) { return cudaDestroyTextureObject(object); });
}
CUDA_API int cuSurfObjectCreate(uint64_t* object, const DriverResource* resource) {
  return in_context([&](Runtime&) -> int {
    if (resource == nullptr) return cudaErrorInvalidValue;
    const ResourceDescription described = resource_of(*resource);
    return cudaCreateSurfaceObject(object, &described);
  });
}
CUDA_API int cuSurfObjectDestroy(uint64_t object) {
  return in_context([&](Runtime&) { return cudaDestroySurfaceObject(object); });
}

/// A map of a tensor for box copies.
CUDA_API int cuTensorMapEncodeTiled(uint8_t* map, int type, uint32_t rank, void* address, const uint64_t* dimensions,
                                    const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides,
                                    int interleave, int swizzle, int, int fill) {
  // The driver's numbers of element types, as tensormap.replace counts them.
  constexpr int kFirstFloat = 6;  // alone may be filled with NaN
  constexpr std::array<uint8_t, 13> kTypes{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
  if (type < 0 || type >= static_cast<int>(kTypes.size()) || rank == 0 || rank > 5 || swizzle < 0 || swizzle > 3 ||
      map == nullptr || dimensions == nullptr || box == nullptr || element_strides == nullptr ||
      (rank > 1 && strides == nullptr) || (fill != 0 && type < kFirstFloat))
    return kDriverInvalidValue;
  simt::TiledTensor tensor{.address = reinterpret_cast<uint64_t>(address),
                           .element_type = kTypes[static_cast<size_t>(type)],
                           .dimensions = {dimensions, dimensions + rank},
                           .strides = {strides, strides + rank - 1},
                           .box = {box, box + rank},
                           .swizzle = static_cast<uint8_t>(swizzle),
                           .fill_nan = fill != 0};
  Result<simt::TensorMap> made = simt::encode(tensor);
  if (!made.ok())
    return Runtime::get().tell(cudaErrorInvalidValue, "cuTensorMapEncodeTiled: " + made.status().message());
  for (uint32_t i = 0; i < rank; ++i) made->element_strides[i] = static_cast<uint8_t>(element_strides[i]);
  made->interleave = static_cast<uint8_t>(interleave);
  std::fill_n(map, simt::kTensorMapBytes, uint8_t{0});
  return simt::write_map(*made, map) ? int{kDriverSuccess} : int{kDriverInvalidValue};
}
