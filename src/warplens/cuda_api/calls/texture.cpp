// Texture and surface objects.
#include <algorithm>
#include <cstring>

#include "warplens/cuda_api/arrays.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// The image that a resource other than a mipmapped array describes. Errors: a handle or format that is none.
Error image_of(Runtime& runtime, const ResourceDescription& resource, simt::Image* image) {
  switch (resource.kind) {
    case kArrayResource: {
      const Array* array = find_array(runtime, resource.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      *image = array->image;
      return cudaSuccess;
    }
    case kLinearResource:
    case kPitchResource: {
      if (resource.linear.pointer == nullptr || !format_of(resource.linear.channels, &image->format))
        return cudaErrorInvalidValue;
      const bool pitched = resource.kind == kPitchResource;
      constexpr uintptr_t kAlignment = 512;  // cudaDeviceProp::textureAlignment
      if (!pitched && reinterpret_cast<uintptr_t>(resource.linear.pointer) % kAlignment != 0)
        return cudaErrorInvalidValue;
      image->at = reinterpret_cast<simt::Address>(resource.linear.pointer);
      const size_t width = pitched ? resource.linear.size : resource.linear.size / image->format.bytes();
      image->width = static_cast<uint32_t>(std::min<size_t>(width, UINT32_MAX));
      image->height = pitched ? static_cast<uint32_t>(resource.linear.height) : 1;
      image->row_bytes = pitched ? resource.linear.pitch : uint64_t{image->width} * image->format.bytes();
      const uint64_t row = uint64_t{image->width} * image->format.bytes();
      const bool overflows = __builtin_mul_overflow(image->row_bytes, uint64_t{image->height}, &image->plane_bytes) ||
                             row > image->row_bytes;
      const bool there = !overflows && runtime.holder(resource.linear.pointer, image->plane_bytes) != nullptr;
      if (!there || image->plane_bytes == 0) return cudaErrorInvalidValue;
      image->is_linear_memory = !pitched;
      return cudaSuccess;
    }
    default: return cudaErrorInvalidValue;
  }
}

/// All levels of a mipmapped array. Errors: there is no such array; what is not emulated.
Error levels_of(Runtime& runtime, const ResourceDescription& resource, const TextureDescription& how,
                simt::Texture* texture) {
  const Mipmap* mipmap = find_mipmap(runtime, resource.array);
  if (mipmap == nullptr) return cudaErrorInvalidResourceHandle;
  if (how.normalized_coordinates == 0)
    return runtime.tell(cudaErrorNotSupported,
                        "textures of all levels of a mipmapped array need normalised coordinates here: set "
                        "normalizedCoords");
  if (how.max_anisotropy > 1)
    return runtime.tell(cudaErrorNotSupported,
                        "anisotropic filters of a mipmapped array are not emulated: set maxAnisotropy to 0");
  texture->image = mipmap->levels.front()->image;
  for (size_t level = 1; level < mipmap->levels.size(); ++level)
    texture->smaller.push_back(mipmap->levels[level]->image);
  texture->mixes_levels = how.mipmap_filter_linear != 0;
  texture->level_bias = how.mipmap_bias;
  texture->least_level = how.mipmap_least;
  texture->most_level = how.mipmap_most;
  return cudaSuccess;
}

bool is_mode(int mode) { return mode >= 0 && mode <= static_cast<int>(simt::TexelAddress::kBorder); }

Error make_texture(Runtime& runtime, const ResourceDescription& resource, const TextureDescription& how,
                   uint64_t* object) {
  simt::Texture texture;
  const Error error = resource.kind == kMipmapResource ? levels_of(runtime, resource, how, &texture)
                                                       : image_of(runtime, resource, &texture.image);
  if (error != cudaSuccess) return error;
  for (size_t axis = 0; axis < texture.beyond.size(); ++axis) {
    if (!is_mode(how.address_mode[axis])) return cudaErrorInvalidValue;
    texture.beyond[axis] = static_cast<simt::TexelAddress>(how.address_mode[axis]);
  }
  texture.linear = how.filter_linear != 0;
  texture.normalised = how.normalized_coordinates != 0;
  texture.normalised_values = how.read_normalized != 0;
  const simt::TexelFormat& format = texture.image.format;
  texture.from_srgb = how.srgb != 0 && texture.normalised_values && format.bits == 8 &&
                      format.kind == simt::TexelFormat::Kind::kUnsigned;  // others ignore it
  const bool floats = texture.image.format.kind == simt::TexelFormat::Kind::kFloat || texture.normalised_values;
  const bool wide = texture.image.format.kind == simt::TexelFormat::Kind::kFloat || texture.image.format.bits > 16;
  if (texture.normalised_values && wide) return cudaErrorInvalidNormSetting;
  if (texture.linear && !floats) return cudaErrorInvalidFilterSetting;  // integers cannot be mixed
  std::ranges::copy(how.border, texture.border.begin());
  *object = runtime.textures.add(texture);
  runtime.texture_descriptions[static_cast<uint32_t>(*object)] = {resource, how};
  return cudaSuccess;
}

int destroy(uint64_t object, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        const auto number = static_cast<uint32_t>(object);
        if (object == 0) return cudaSuccess;
        runtime.texture_descriptions.erase(number);
        return runtime.textures.remove(number) ? cudaSuccess : cudaErrorInvalidResourceHandle;
      },
      name);
}

const DescribedTexture* described(Runtime& runtime, uint64_t object) {
  const auto found = runtime.texture_descriptions.find(static_cast<uint32_t>(object));
  return found != runtime.texture_descriptions.end() ? &found->second : nullptr;
}

int resource_of(ResourceDescription* out, uint64_t object, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        const DescribedTexture* found = described(runtime, object);
        if (found == nullptr || out == nullptr) return cudaErrorInvalidValue;
        *out = found->resource;
        return cudaSuccess;
      },
      name);
}

}  // namespace

CUDA_API int cudaCreateTextureObject(uint64_t* object, const ResourceDescription* resource,
                                     const TextureDescription* how, const int* view_format) {
  return call([&](Runtime& runtime) {
    if (object == nullptr || resource == nullptr || how == nullptr) return cudaErrorInvalidValue;
    if (view_format != nullptr && *view_format != 0)
      return runtime.tell(cudaErrorNotSupported,
                          "views of a texture in another format are not emulated: make the array in the format that "
                          "kernels read");
    return make_texture(runtime, *resource, *how, object);
  });
}

CUDA_API int cudaCreateSurfaceObject(uint64_t* object, const ResourceDescription* resource) {
  return call([&](Runtime& runtime) {
    if (object == nullptr || resource == nullptr || resource->kind != kArrayResource) return cudaErrorInvalidValue;
    simt::Texture surface;
    if (const Error error = image_of(runtime, *resource, &surface.image); error != cudaSuccess) return error;
    *object = runtime.textures.add(surface);
    runtime.texture_descriptions[static_cast<uint32_t>(*object)] = {*resource, {}};
    return cudaSuccess;
  });
}

CUDA_API int cudaDestroyTextureObject(uint64_t object) { return destroy(object); }
CUDA_API int cudaDestroySurfaceObject(uint64_t object) { return destroy(object); }
CUDA_API int cudaGetTextureObjectResourceDesc(ResourceDescription* out, uint64_t object) {
  return resource_of(out, object);
}
CUDA_API int cudaGetSurfaceObjectResourceDesc(ResourceDescription* out, uint64_t object) {
  return resource_of(out, object);
}

CUDA_API int cudaGetTextureObjectTextureDesc(TextureDescription* out, uint64_t object) {
  return call([&](Runtime& runtime) {
    const DescribedTexture* found = described(runtime, object);
    if (found == nullptr || out == nullptr) return cudaErrorInvalidValue;
    *out = found->how;
    return cudaSuccess;
  });
}

/// There are no views in another format.
CUDA_API int cudaGetTextureObjectResourceViewDesc(void*, uint64_t) {
  return call([](Runtime&) { return cudaErrorInvalidValue; });
}

CUDA_API int cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const ChannelDescription*, int) {
  return call([&](Runtime&) {
    if (width == nullptr) return cudaErrorInvalidValue;
    constexpr size_t kTexels = 1 << 28;
    *width = kTexels;
    return cudaSuccess;
  });
}
