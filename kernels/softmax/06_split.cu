// Four warps a row, which stays in registers; each warp's largest element and sum meet at one barrier. A thread keeps VECTORS times
// 16 bytes: rows are multiples of 4 long, at most 512 * VECTORS.
constexpr float kLowest = -3.402823466e38f;
constexpr int kThreads = 128, kWarps = kThreads / 32;

extern "C" __global__ void __launch_bounds__(kThreads) softmax_split(const float* x, float* y, int columns) {
  __shared__ float2 parts[kWarps];
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * columns);
  float4* out = reinterpret_cast<float4*>(y + (size_t)blockIdx.x * columns);
  float4 v[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    v[k] = i < columns / 4 ? in[i] : float4{kLowest, kLowest, kLowest, kLowest};
  }
  float most = kLowest, sum = 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    v[k] = {__expf(v[k].x - most), __expf(v[k].y - most), __expf(v[k].z - most), __expf(v[k].w - most)};
    sum += threadIdx.x + kThreads * k < columns / 4 ? (v[k].x + v[k].y) + (v[k].z + v[k].w) : 0;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = {most, sum};
  __syncthreads();
  float top = kLowest, total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) top = fmaxf(top, parts[w].x);
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += parts[w].y * __expf(parts[w].x - top);
  const float scale = __expf(most - top) / total;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    if (i < columns / 4) out[i] = {v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale};
  }
}
