// Four warps a row, which stays in registers; weight and bias are asked for with it. Each warp's mean and sum of squares around it
// meet at one barrier (Chan, Golub and LeVeque, 1983). Rows are multiples of 4 long, at most 512 * VECTORS.
constexpr int kThreads = 128, kWarps = kThreads / 32;

__device__ float total(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    layer_norm_split(const float* x, const float4* w, const float4* b, float* y, int columns) {
  __shared__ float parts[3][kWarps];  // elements, mean, squares
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * columns);
  float4* out = reinterpret_cast<float4*>(y + (size_t)blockIdx.x * columns);
  float4 v[VECTORS], scales[VECTORS], shifts[VECTORS];
  const int n4 = columns / 4, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    v[k] = i < n4 ? in[i] : float4{0, 0, 0, 0};
  }
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    scales[k] = i < n4 ? w[i] : float4{0, 0, 0, 0}, shifts[k] = i < n4 ? b[i] : float4{0, 0, 0, 0};
  }
  float sum = 0, squares = 0;
  int count = 0;  // of this warp
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    count += 4 * max(0, min(32, n4 - (kThreads * k + 32 * warp)));
  }
  float mean = count ? total(sum) / count : 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    if (threadIdx.x + kThreads * k >= n4) continue;
    const float4 d = {v[k].x - mean, v[k].y - mean, v[k].z - mean, v[k].w - mean};
    squares += (d.x * d.x + d.y * d.y) + (d.z * d.z + d.w * d.w);
  }
  squares = total(squares);
  if (threadIdx.x % 32 == 0) parts[0][warp] = count, parts[1][warp] = mean, parts[2][warp] = squares;
  __syncthreads();
  mean = squares = 0;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) mean += parts[0][i] * parts[1][i];
  mean /= columns;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) squares += parts[2][i] + parts[0][i] * (parts[1][i] - mean) * (parts[1][i] - mean);
  const float scale = rsqrtf(squares / columns + 1e-5f);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int i = threadIdx.x + kThreads * k;
    if (i < n4)
      out[i] = {(v[k].x - mean) * scale * scales[k].x + shifts[k].x, (v[k].y - mean) * scale * scales[k].y + shifts[k].y,
                (v[k].z - mean) * scale * scales[k].z + shifts[k].z, (v[k].w - mean) * scale * scales[k].w + shifts[k].w};
  }
}
