// Textures whose coordinates stand in registers far apart, products of complex numbers of two halves, and pairs of
// extremes with their predicates, each against the host.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

constexpr int kSide = 6, kLanes = 32;

struct Result {
  float volume, layer, graded, corner;
  __half2 product;
  unsigned extreme;
  bool high, low;
};

__host__ __device__ int column(int t) { return t * 7 % 5; }
__host__ __device__ int row(int t) { return t * 3 % 4; }
__host__ __device__ unsigned pair(int t, unsigned factor) { return t * factor + 3; }

__global__ void sample(cudaTextureObject_t volume, cudaTextureObject_t layers, Result* out) {
  const int t = threadIdx.x;
  const float x = t % 6 + .5f, y = row(t) + .5f, z = column(t) + .5f;
  out[t].volume = tex3D<float>(volume, x, y, z);
  out[t].layer = tex2DLayered<float>(layers, z, y, t % 3);
  const float2 gradient = make_float2(.25f, 0);
  out[t].graded = tex2DLayeredGrad<float>(layers, z, y, t % 3, gradient, gradient);
  const __half2 a = __floats2half2_rn(t * .25f, -1.5f), b = __floats2half2_rn(.5f, t * .125f);
  out[t].product = __hcmadd(a, b, __floats2half2_rn(1, 2));
  out[t].extreme = __vibmax_s16x2(pair(t, 77777777), pair(t, 55555555), &out[t].high, &out[t].low);
}

/// The four texels around (t + 1, 2): the lower left one.
__global__ void gather(cudaTextureObject_t plane, Result* out) {
  out[threadIdx.x].corner = tex2Dgather<float4>(plane, threadIdx.x % 5 + 1.f, 2.f, 0).x;
}

cudaTextureObject_t texture(const float* texels, cudaExtent extent, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, extent, flags);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(texels), kSide * sizeof(float), kSide, kSide);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, extent.height, std::max<size_t>(extent.depth, 1));
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  cudaTextureObject_t made = 0;
  cudaCreateTextureObject(&made, &resource, &description, nullptr);
  return made;
}

bool right(const Result& r, int t) {
  const auto half_of = [](unsigned bits, int which) { return static_cast<short>(bits >> 16 * which); };
  const unsigned a = pair(t, 77777777), b = pair(t, 55555555);
  bool extremes = true;
  for (const int which : {0, 1})
    extremes &= half_of(r.extreme, which) == std::max(half_of(a, which), half_of(b, which));
  extremes &= r.low == (half_of(a, 0) >= half_of(b, 0)) && r.high == (half_of(a, 1) >= half_of(b, 1));
  const float real = 1 + t * .125f + 1.5f * t * .125f, imaginary = 2 + t * .25f * t * .125f - .75f;
  const bool products = std::abs(__low2float(r.product) - real) <= .004f * real + .001f &&
                        std::abs(__high2float(r.product) - imaginary) <= .004f * imaginary + .001f;
  return extremes && products && r.volume == column(t) * 36 + row(t) * 6 + t % 6 &&
         r.layer == t % 3 * 36 + row(t) * 6 + column(t) && r.graded == r.layer && r.corner == 2 * 6 + t % 5;
}

int main() {
  float texels[kSide * kSide * kSide];
  for (int i = 0; i < kSide * kSide * kSide; ++i) texels[i] = i;
  Result *device = nullptr, host[kLanes];
  cudaMalloc(&device, sizeof host);
  sample<<<1, kLanes>>>(texture(texels, make_cudaExtent(kSide, kSide, kSide), 0),
                        texture(texels, make_cudaExtent(kSide, kSide, 3), cudaArrayLayered), device);
  gather<<<1, kLanes>>>(texture(texels, make_cudaExtent(kSide, kSide, 0), cudaArrayTextureGather), device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < kLanes; ++t) wrong += !right(host[t], t);
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
  return wrong != 0;
}
