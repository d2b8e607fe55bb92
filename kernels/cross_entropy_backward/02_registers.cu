// One block of 1024 threads keeps a row in registers: read once, written once. Rows are multiples of 4 long, at most 4096 * VECTORS.
constexpr float kLowest = -3.402823466e38f;

template <bool kMax>
__device__ float combine(float value) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32;
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(~0u, value, step);
    value = kMax ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (lane == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = part[lane];
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(~0u, value, step);
    value = kMax ? fmaxf(value, other) : value + other;
  }
  return value;
}

extern "C" __global__ void __launch_bounds__(1024)
    cross_entropy_backward_registers(const float* x, const int* t, const float* dloss, float* dx, int columns) {
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * columns);
  float4* out = reinterpret_cast<float4*>(dx + (size_t)blockIdx.x * columns);
  const int n4 = columns / 4, target = t[blockIdx.x];
  const float given = dloss[blockIdx.x];
  float4 v[VECTORS];
  float most = kLowest, sum = 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k)
    v[k] = threadIdx.x + k * 1024 < n4 ? in[threadIdx.x + k * 1024] : float4{kLowest, kLowest, kLowest, kLowest};
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  most = combine<true>(most);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    v[k] = {__expf(v[k].x - most), __expf(v[k].y - most), __expf(v[k].z - most), __expf(v[k].w - most)};
    sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }
  const float scale = given / combine<false>(sum);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + k * 1024;
    v[k] = {v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale};
    if (i == target / 4) {
      if (target % 4 == 0) v[k].x -= given;
      if (target % 4 == 1) v[k].y -= given;
      if (target % 4 == 2) v[k].z -= given;
      if (target % 4 == 3) v[k].w -= given;
    }
    if (i < n4) out[i] = v[k];
  }
}
