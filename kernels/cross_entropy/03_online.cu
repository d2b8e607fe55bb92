// One block a row, one pass: the sum is rescaled when a larger logit comes, once for 16 logits a thread. Rows are multiples of 4 long.
constexpr float kLowest = -3.402823466e38f;

__device__ void merge(float& most, float& sum, float other, float others) {
  const float larger = fmaxf(most, other);
  sum = sum * __expf(most - larger) + others * __expf(other - larger);
  most = larger;
}

extern "C" __global__ void __launch_bounds__(512) cross_entropy_online(const float* x, const int* t, float* loss, int columns) {
  __shared__ float mosts[16], sums[16];
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * columns);
  const int n4 = columns / 4;
  float most = kLowest, sum = 0;
  for (int first = threadIdx.x; first < n4; first += 2048) {
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = first + k * 512 < n4 ? in[first + k * 512] : float4{kLowest, kLowest, kLowest, kLowest};
    float larger = most;
#pragma unroll
    for (int k = 0; k < 4; ++k) larger = fmaxf(larger, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    sum *= __expf(most - larger), most = larger;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += (__expf(v[k].x - most) + __expf(v[k].y - most)) + (__expf(v[k].z - most) + __expf(v[k].w - most));
  }
  for (int step = 16; step > 0; step /= 2) merge(most, sum, __shfl_xor_sync(~0u, most, step), __shfl_xor_sync(~0u, sum, step));
  if (threadIdx.x % 32 == 0) mosts[threadIdx.x / 32] = most, sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < 16; ++w) merge(most, sum, mosts[w], sums[w]);
  loss[blockIdx.x] = logf(sum) + most - x[(size_t)blockIdx.x * columns + t[blockIdx.x]];
}
