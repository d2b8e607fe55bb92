// Four warps a row, which stays in registers; the weight is asked for with it, and the warps' sums of squares meet at one barrier.
// Rows are multiples of 4 long, at most 512 * VECTORS.
constexpr int kThreads = 128, kWarps = kThreads / 32;

extern "C" __global__ void __launch_bounds__(kThreads) rms_norm_split(const float* x, const float4* w, float* y, int columns) {
  __shared__ float parts[kWarps];
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * columns);
  float4* out = reinterpret_cast<float4*>(y + (size_t)blockIdx.x * columns);
  float4 v[VECTORS], scales[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    v[k] = i < columns / 4 ? in[i] : float4{0, 0, 0, 0};
  }
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    scales[k] = i < columns / 4 ? w[i] : float4{0, 0, 0, 0};
  }
  float squares = 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) squares += (v[k].x * v[k].x + v[k].y * v[k].y) + (v[k].z * v[k].z + v[k].w * v[k].w);
  for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(~0u, squares, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = squares;
  __syncthreads();
  const float scale = rsqrtf(((parts[0] + parts[1]) + (parts[2] + parts[3])) / columns + 1e-6f);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    if (i < columns / 4) out[i] = {v[k].x * scale * scales[k].x, v[k].y * scale * scales[k].y, v[k].z * scale * scales[k].z, v[k].w * scale * scales[k].w};
  }
}
