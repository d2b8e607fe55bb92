// The calls that make mipmapped arrays. Each level is an array: copies, textures and surfaces of one level take it as
// any other.
#include <algorithm>
#include <bit>

#include "warplens/cuda_api/arrays.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr unsigned kStacked = 1 | 4;  // layered and cubemap: every level has all layers or faces

Extent level_extent(const Extent& whole, unsigned level, unsigned flags) {
  const auto halved = [&](size_t size) { return size == 0 ? size : std::max<size_t>(size >> level, 1); };
  return {halved(whole.width), halved(whole.height), (flags & kStacked) != 0 ? whole.depth : halved(whole.depth)};
}

/// One more than how often the largest side can be halved.
unsigned most_levels(const Extent& whole, unsigned flags) {
  const size_t depth = (flags & kStacked) != 0 ? 1 : whole.depth;
  return static_cast<unsigned>(std::bit_width(std::max({whole.width, whole.height, depth, size_t{1}})));
}

void end_levels(Runtime& runtime, const Mipmap& mipmap) {
  for (Array* level : mipmap.levels) (void)end_array(runtime, level);
}

}  // namespace

Mipmap* cuda_api::find_mipmap(Runtime& runtime, void* handle) {
  const auto found = runtime.mipmaps.find(static_cast<Mipmap*>(handle));
  return found != runtime.mipmaps.end() ? found->first : nullptr;
}

CUDA_API int cudaMallocMipmappedArray(Mipmap** out, const ChannelDescription* channels, Extent extent, unsigned levels,
                                      unsigned flags) {
  return call([&](Runtime& runtime) {
    if (out == nullptr || channels == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<Mipmap>();
    const unsigned count = std::clamp(levels, 1u, most_levels(extent, flags));
    for (unsigned level = 0; level < count; ++level) {
      Array* array = nullptr;
      const Error error = make_array(runtime, &array, channels, level_extent(extent, level, flags), flags);
      if (error != cudaSuccess) {
        end_levels(runtime, *made);
        return error;
      }
      array->is_level = true;
      made->levels.push_back(array);
    }
    *out = made.get();
    runtime.mipmaps[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

CUDA_API int cudaGetMipmappedArrayLevel(Array** out, void* handle, unsigned level) {
  return call([&](Runtime& runtime) {
    const Mipmap* mipmap = find_mipmap(runtime, handle);
    if (mipmap == nullptr) return cudaErrorInvalidResourceHandle;
    if (out == nullptr || level >= mipmap->levels.size()) return cudaErrorInvalidValue;
    *out = mipmap->levels[level];
    return cudaSuccess;
  });
}

CUDA_API int cudaFreeMipmappedArray(void* handle) {
  return call([&](Runtime& runtime) {
    if (handle == nullptr) return cudaSuccess;
    Mipmap* mipmap = find_mipmap(runtime, handle);
    if (mipmap == nullptr) return cudaErrorInvalidValue;
    end_levels(runtime, *mipmap);
    runtime.mipmaps.erase(mipmap);
    return cudaSuccess;
  });
}
