// Four warps a row, which stays in registers; weight and bias are asked for with it. Each warp's mean and sum of squares around it
// meet at one barrier (Chan, Golub and LeVeque, 1983). Rows are COLUMNS long, a multiple of 4: what is known when the kernel is
// compiled (which lanes have an element, how many a warp has) needs no registers, and more warps fit.
constexpr int kThreads = 128, kWarps = kThreads / 32, kN4 = COLUMNS / 4, kVectors = (kN4 + kThreads - 1) / kThreads;

__device__ float total(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

/// Whether this thread's vector `k` is in the row.
__device__ __forceinline__ bool inside(int k) { return (k + 1) * kThreads <= kN4 || threadIdx.x + kThreads * k < kN4; }

/// Elements of the row that a warp has.
__device__ __forceinline__ int elements_of(int warp) {
  int count = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) count += 4 * max(0, min(32, kN4 - (kThreads * k + 32 * warp)));
  return count;
}

extern "C" __global__ void __launch_bounds__(kThreads) layer_norm_split(const float* x, const float4* w, const float4* b, float* y) {
  __shared__ float parts[2][kWarps];  // mean, squares
  const int warp = threadIdx.x / 32;
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * COLUMNS);
  float4* out = reinterpret_cast<float4*>(y + (size_t)blockIdx.x * COLUMNS);
  float4 v[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) v[k] = inside(k) ? in[threadIdx.x + kThreads * k] : float4{0, 0, 0, 0};
  float4 scales[kVectors], shifts[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k)
    if (inside(k)) scales[k] = w[threadIdx.x + kThreads * k], shifts[k] = b[threadIdx.x + kThreads * k];
  float sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  float mean = total(sum) / max(1, elements_of(warp));
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    if (!inside(k)) continue;
    const float4 d = {v[k].x - mean, v[k].y - mean, v[k].z - mean, v[k].w - mean};
    squares += (d.x * d.x + d.y * d.y) + (d.z * d.z + d.w * d.w);
  }
  squares = total(squares);
  if (threadIdx.x % 32 == 0) parts[0][warp] = mean, parts[1][warp] = squares;
  __syncthreads();
  mean = squares = 0;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) mean += parts[0][i] * elements_of(i);
  mean /= COLUMNS;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) squares += parts[1][i] + elements_of(i) * (parts[0][i] - mean) * (parts[0][i] - mean);
  const float scale = rsqrtf(squares / COLUMNS + 1e-5f);
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    if (!inside(k)) continue;
    const float4 g = scales[k], o = shifts[k];
    out[threadIdx.x + kThreads * k] = {(v[k].x - mean) * scale * g.x + o.x, (v[k].y - mean) * scale * g.y + o.y,
                                       (v[k].z - mean) * scale * g.z + o.z, (v[k].w - mean) * scale * g.w + o.w};
  }
}
