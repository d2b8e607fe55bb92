// Textures and surfaces against what the programming guide's formulas give on the host. Prints a line for what is wrong.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

int wrong = 0;
void expect(const char* what, float got, float want, float within = 0) {
  if (std::fabs(got - want) <= within) return;
  if (++wrong < 20) std::printf("%s: %g for %g\n", what, got, want);
}
void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

constexpr int kWidth = 13, kHeight = 7, kDepth = 6, kSamples = 4096;

__global__ void sample_2d(cudaTextureObject_t t, const float2* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float>(t, at[i].x, at[i].y);
}
__global__ void sample_3d(cudaTextureObject_t t, const float2* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex3D<float>(t, at[i].x, at[i].y, at[i].x);
}
__global__ void sample_layer(cudaTextureObject_t t, const float2* at, float* out, int layer) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2DLayered<float>(t, at[i].x, at[i].y, layer);
}
__global__ void sample_cube(cudaTextureObject_t t, float* out) {
  const float directions[6][3] = {{2, 0, 0}, {-2, 0, 0}, {0, 2, 0}, {0, -2, 0}, {0, 0, 2}, {0, 0, -2}};
  out[threadIdx.x] = texCubemap<float>(t, directions[threadIdx.x][0], directions[threadIdx.x][1], directions[threadIdx.x][2]);
}
__global__ void fetch_bytes(cudaTextureObject_t t, uchar4* out) { out[threadIdx.x] = tex1Dfetch<uchar4>(t, threadIdx.x); }
__global__ void fetch_normalised(cudaTextureObject_t t, float4* out) { out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x); }
__global__ void gather_green(cudaTextureObject_t t, float4* out) { out[0] = tex2Dgather<float4>(t, 3.0f, 2.0f, 0); }
__global__ void through_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(2 * surf2Dread<float>(from, x * 4, y), to, x * 4, y);
  surf2Dwrite(1.0f, to, -4, y, cudaBoundaryModeZero);  // outside: nothing is there
}
__global__ void of_many(const cudaTextureObject_t* all, float* out) {
  out[threadIdx.x] = tex2D<float>(all[threadIdx.x % 2], 0.5f, 0.5f);
}

__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to) {
  const int x = threadIdx.x, y = blockIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += tex2D<float>(from, 2 * x + k % 2 + 0.5f, 2 * y + k / 2 + 0.5f);
  surf2Dwrite(sum / 4, to, x * 4, y);
}

/// Each level of a mipmapped array from the one before, as an array with a texture and a surface of its own.
void check_levels(const std::vector<float>& image) {
  int width = 16, height = 8;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t all;
  CHECK(cudaMallocMipmappedArray(&all, &floats, make_cudaExtent(width, height, 0), 99, cudaArraySurfaceLoadStore));
  std::vector<float> want(image.begin(), image.begin() + width * height);
  for (unsigned level = 0; level < 5; ++level) {
    cudaResourceDesc of_level{};
    of_level.resType = cudaResourceTypeArray;
    CHECK(cudaGetMipmappedArrayLevel(&of_level.res.array.array, all, level));
    if (level == 0) {
      CHECK(cudaMemcpy2DToArray(of_level.res.array.array, 0, 0, want.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    } else {
      cudaResourceDesc before = of_level;
      CHECK(cudaGetMipmappedArrayLevel(&before.res.array.array, all, level - 1));
      cudaTextureDesc nearest{};
      nearest.addressMode[0] = nearest.addressMode[1] = cudaAddressModeClamp;
      cudaTextureObject_t texture;
      cudaSurfaceObject_t surface;
      CHECK(cudaCreateTextureObject(&texture, &before, &nearest, nullptr));
      CHECK(cudaCreateSurfaceObject(&surface, &of_level));
      const int old_width = width, old_height = height;
      width = width > 1 ? width / 2 : 1, height = height > 1 ? height / 2 : 1;
      halve<<<height, width>>>(texture, surface);
      std::vector<float> next(width * height);
      for (int i = 0; i < width * height; ++i) {
        for (int k = 0; k < 4; ++k) {
          const int x = 2 * (i % width) + k % 2, y = 2 * (i / width) + k / 2;
          next[i] += want[(y < old_height ? y : old_height - 1) * old_width + (x < old_width ? x : old_width - 1)] / 4;
        }
      }
      want = next;
    }
    cudaExtent size;
    CHECK(cudaArrayGetInfo(nullptr, &size, nullptr, of_level.res.array.array));
    expect("a level's width", static_cast<float>(size.width), static_cast<float>(width));
    std::vector<float> got(width * height);
    CHECK(cudaMemcpy2DFromArray(got.data(), width * 4, of_level.res.array.array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; ++i) expect("level", got[i], want[i], 1e-4f);
  }
  cudaArray_t none;
  expect("a sixth level", cudaGetMipmappedArrayLevel(&none, all, 5), cudaErrorInvalidValue);
  CHECK(cudaFreeMipmappedArray(all));
}

__global__ void at_levels(cudaTextureObject_t from, float* out) { out[threadIdx.x] = tex2DLod<float>(from, 0.3f, 0.6f, threadIdx.x * 0.25f - 1); }

/// A texture of all levels, each of which has its number everywhere: what a request for a level gets is the level.
void check_all_levels() {
  constexpr int kRequests = 32, kLevels = 4;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  CHECK(cudaMallocMipmappedArray(&resource.res.mipmap.mipmap, &floats, make_cudaExtent(8, 8, 0), kLevels));
  for (int level = 0; level < kLevels; ++level) {
    const int size = 8 >> level;
    const std::vector<float> same(size * size, level);
    cudaArray_t array;
    CHECK(cudaGetMipmappedArrayLevel(&array, resource.res.mipmap.mipmap, level));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, same.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
  }
  float* values;
  CHECK(cudaMallocManaged(&values, kRequests * 4));
  for (const bool mixes : {false, true}) {
    cudaTextureDesc how{};
    how.normalizedCoords = 1;
    how.filterMode = cudaFilterModeLinear;
    how.mipmapFilterMode = mixes ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapLevelBias = 0.5f;
    how.minMipmapLevelClamp = 0.25f;
    how.maxMipmapLevelClamp = 2.5f;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    at_levels<<<1, kRequests>>>(texture, values);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kRequests; ++i) {
      const float level = std::fmin(std::fmax(i * 0.25f - 1 + 0.5f, 0.25f), 2.5f);
      expect("of all levels", values[i], mixes ? level : std::floor(level + 0.5f));
    }
    CHECK(cudaDestroyTextureObject(texture));
  }
  CHECK(cudaFreeMipmappedArray(resource.res.mipmap.mipmap));
}

float texel(const std::vector<float>& image, int x, int y, int z = 0) { return image[(z * kHeight + y) * kWidth + x]; }

int resolve(double at, int size, cudaTextureAddressMode mode) {
  int i = static_cast<int>(std::floor(at));
  if (mode == cudaAddressModeClamp) return i < 0 ? 0 : i >= size ? size - 1 : i;
  if (mode == cudaAddressModeWrap) return ((i % size) + size) % size;
  i = ((i % (2 * size)) + 2 * size) % (2 * size);
  return i < size ? i : 2 * size - 1 - i;
}

float expected(const std::vector<float>& image, float2 at, const cudaTextureDesc& how) {
  const double x = how.normalizedCoords ? double{at.x} * kWidth : at.x, y = how.normalizedCoords ? double{at.y} * kHeight : at.y;
  const auto one = [&](double u, double v) {
    const bool outside = u < 0 || v < 0 || u >= kWidth || v >= kHeight;
    if (how.addressMode[0] == cudaAddressModeBorder) return outside ? how.borderColor[0] : texel(image, int(u), int(v));
    const cudaTextureAddressMode mode = how.normalizedCoords ? how.addressMode[0] : cudaAddressModeClamp;
    return texel(image, resolve(u, kWidth, mode), resolve(v, kHeight, mode));
  };
  if (how.filterMode == cudaFilterModePoint) return one(std::floor(x), std::floor(y));
  const double u = std::floor(x - 0.5), v = std::floor(y - 0.5), a = x - 0.5 - u, b = y - 0.5 - v;
  return (1 - a) * (1 - b) * one(u, v) + a * (1 - b) * one(u + 1, v) + (1 - a) * b * one(u, v + 1) + a * b * one(u + 1, v + 1);
}

int main() {
  std::vector<float> image(kWidth * kHeight * kDepth);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>((i * 37) % 101);
  std::vector<float2> at(kSamples);
  for (int i = 0; i < kSamples; ++i) at[i] = {i % 64 * 0.53f - 9.0f, i / 64 * 0.29f - 5.0f};
  float2* device_at;
  float* out;
  std::vector<float> got(kSamples);
  CHECK(cudaMalloc(&device_at, kSamples * sizeof(float2)));
  CHECK(cudaMalloc(&out, kSamples * sizeof(float)));
  CHECK(cudaMemcpy(device_at, at.data(), kSamples * sizeof(float2), cudaMemcpyHostToDevice));
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  check_all_levels();
  check_levels(image);

  cudaArray_t plane;
  CHECK(cudaMallocArray(&plane, &floats, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(plane, 0, 0, image.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  cudaResourceDesc of_plane{};
  of_plane.resType = cudaResourceTypeArray;
  of_plane.res.array.array = plane;
  const auto fetch_all = [&](const cudaResourceDesc& resource, const cudaTextureDesc& how, auto launch) {
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    launch(texture);
    CHECK(cudaMemcpy(got.data(), out, kSamples * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaDestroyTextureObject(texture));
  };
  for (int mode = 0; mode < 4; ++mode) {
    for (int variant = 0; variant < 4; ++variant) {
      cudaTextureDesc how{};
      for (auto& axis : how.addressMode) axis = static_cast<cudaTextureAddressMode>(mode);
      how.filterMode = variant & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
      how.normalizedCoords = variant >> 1;
      how.borderColor[0] = -3;
      fetch_all(of_plane, how, [&](cudaTextureObject_t t) { sample_2d<<<kSamples / 128, 128>>>(t, device_at, out); });
      // Weights have 8 bits behind the point.
      for (int i = 0; i < kSamples; ++i) expect("2D", got[i], expected(image, at[i], how), variant & 1 ? 1.0f : 0);
    }
  }

  cudaTextureDesc nearest{};
  for (auto& axis : nearest.addressMode) axis = cudaAddressModeClamp;
  cudaArray_t volume, layers, cube;
  const cudaExtent box = make_cudaExtent(kWidth, kHeight, kDepth);
  CHECK(cudaMalloc3DArray(&volume, &floats, box));
  CHECK(cudaMalloc3DArray(&layers, &floats, box, cudaArrayLayered));
  for (cudaArray_t target : {volume, layers}) {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(image.data(), kWidth * 4, kWidth, kHeight);
    copy.dstArray = target;
    copy.extent = box;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = target;
    const bool layered = target == layers;
    fetch_all(resource, nearest, [&](cudaTextureObject_t t) {
      if (layered) sample_layer<<<kSamples / 128, 128>>>(t, device_at, out, 4);
      else sample_3d<<<kSamples / 128, 128>>>(t, device_at, out);
    });
    for (int i = 0; i < kSamples; ++i) {
      const auto clamp = [](float u, int size) { return resolve(u, size, cudaAddressModeClamp); };
      const int z = layered ? 4 : clamp(at[i].x, kDepth);
      expect(layered ? "layer" : "3D", got[i], texel(image, clamp(at[i].x, kWidth), clamp(at[i].y, kHeight), z));
    }
  }
  CHECK(cudaMalloc3DArray(&cube, &floats, make_cudaExtent(3, 3, 6), cudaArrayCubemap));
  cudaMemcpy3DParms faces{};
  faces.srcPtr = make_cudaPitchedPtr(image.data(), 12, 3, 3);
  faces.dstArray = cube;
  faces.extent = make_cudaExtent(3, 3, 6);
  faces.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&faces));
  cudaResourceDesc of_cube{};
  of_cube.resType = cudaResourceTypeArray;
  of_cube.res.array.array = cube;
  fetch_all(of_cube, nearest, [&](cudaTextureObject_t t) { sample_cube<<<1, 6>>>(t, out); });
  for (int face = 0; face < 6; ++face) expect("cube", got[face], image[face * 9 + 4]);

  std::vector<uchar4> bytes(64);
  for (int i = 0; i < 64; ++i) bytes[i] = make_uchar4(i, 255 - i, 2 * i, 7);
  uchar4* linear;
  CHECK(cudaMalloc(&linear, 64 * 4));
  CHECK(cudaMemcpy(linear, bytes.data(), 64 * 4, cudaMemcpyHostToDevice));
  cudaResourceDesc of_bytes{};
  of_bytes.resType = cudaResourceTypeLinear;
  of_bytes.res.linear.devPtr = linear;
  of_bytes.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  of_bytes.res.linear.sizeInBytes = 64 * 4;
  fetch_all(of_bytes, nearest, [&](cudaTextureObject_t t) { fetch_bytes<<<1, 64>>>(t, reinterpret_cast<uchar4*>(out)); });
  for (int i = 0; i < 64; ++i) expect("bytes", reinterpret_cast<uchar4*>(got.data())[i].y, bytes[i].y);
  cudaTextureDesc as_floats = nearest;
  as_floats.readMode = cudaReadModeNormalizedFloat;
  fetch_all(of_bytes, as_floats, [&](cudaTextureObject_t t) { fetch_normalised<<<1, 64>>>(t, reinterpret_cast<float4*>(out)); });
  for (int i = 0; i < 64; ++i) expect("normalised", reinterpret_cast<float4*>(got.data())[i].z, bytes[i].z / 255.0f, 1e-6f);

  fetch_all(of_plane, nearest, [&](cudaTextureObject_t t) { gather_green<<<1, 1>>>(t, reinterpret_cast<float4*>(out)); });
  expect("gather x", got[0], texel(image, 2, 2));
  expect("gather z", got[2], texel(image, 3, 1));

  cudaArray_t doubled;
  CHECK(cudaMallocArray(&doubled, &floats, kWidth, kHeight, cudaArraySurfaceLoadStore));
  cudaResourceDesc of_doubled = of_plane;
  of_doubled.res.array.array = doubled;
  cudaSurfaceObject_t from, to;
  CHECK(cudaCreateSurfaceObject(&from, &of_plane));
  CHECK(cudaCreateSurfaceObject(&to, &of_doubled));
  through_surface<<<kHeight, kWidth>>>(from, to);
  CHECK(cudaMemcpy2DFromArray(got.data(), kWidth * 4, doubled, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWidth * kHeight; ++i) expect("surface", got[i], 2 * image[i]);

  cudaTextureObject_t two[2], *device_two;
  CHECK(cudaCreateTextureObject(&two[0], &of_plane, &nearest, nullptr));
  CHECK(cudaCreateTextureObject(&two[1], &of_doubled, &nearest, nullptr));
  CHECK(cudaMalloc(&device_two, sizeof two));
  CHECK(cudaMemcpy(device_two, two, sizeof two, cudaMemcpyHostToDevice));
  of_many<<<1, 32>>>(device_two, out);
  CHECK(cudaMemcpy(got.data(), out, 128, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) expect("many", got[i], (i % 2 + 1) * image[0]);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
