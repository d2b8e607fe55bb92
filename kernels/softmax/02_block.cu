// One block of 256 threads a row, three passes; what its threads found is combined by a tree in shared memory.
constexpr float kLowest = -3.402823466e38f;

template <bool kMax>
__device__ float combine(float value) {
  __shared__ float part[256];
  __syncthreads();
  part[threadIdx.x] = value;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const float other = part[threadIdx.x + half];
    part[threadIdx.x] = kMax ? fmaxf(part[threadIdx.x], other) : part[threadIdx.x] + other;
  }
  __syncthreads();
  return part[0];
}

extern "C" __global__ void softmax_block(const float* x, float* y, int columns) {
  const float* in = x + (size_t)blockIdx.x * columns;
  float most = kLowest, sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) most = fmaxf(most, in[c]);
  most = combine<true>(most);
  for (int c = threadIdx.x; c < columns; c += 256) sum += __expf(in[c] - most);
  sum = combine<false>(sum);
  for (int c = threadIdx.x; c < columns; c += 256) y[(size_t)blockIdx.x * columns + c] = __expf(in[c] - most) / sum;
}
