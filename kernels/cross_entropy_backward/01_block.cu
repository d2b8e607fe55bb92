// dx = (softmax(x) - one_hot(t)) * dloss: one block a row, three passes.
constexpr float kLowest = -3.402823466e38f;

template <bool kMax>
__device__ float combine(float value) {
  __shared__ float part[32];
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(~0u, value, step);
    value = kMax ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = part[0];
  for (int w = 1; w < blockDim.x / 32; ++w) value = kMax ? fmaxf(value, part[w]) : value + part[w];
  return value;
}

extern "C" __global__ void cross_entropy_backward_block(const float* x, const int* t, const float* dloss, float* dx, int columns) {
  const size_t row = (size_t)blockIdx.x * columns;
  float most = kLowest, sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) most = fmaxf(most, x[row + c]);
  most = combine<true>(most);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += __expf(x[row + c] - most);
  sum = combine<false>(sum);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    dx[row + c] = (__expf(x[row + c] - most) / sum - (c == t[blockIdx.x] ? 1 : 0)) * dloss[blockIdx.x];
}
