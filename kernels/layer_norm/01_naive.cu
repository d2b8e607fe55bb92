// One block of 256 threads a row: mean, variance and result in three passes, trees in shared memory.
__device__ float total(float value) {
  __shared__ float part[256];
  __syncthreads();
  part[threadIdx.x] = value;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthreads();
  return part[0];
}

extern "C" __global__ void layer_norm_naive(const float* x, const float* w, const float* b, float* y, int columns) {
  const float* in = x + (size_t)blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += in[c];
  const float mean = total(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += 256) squares += (in[c] - mean) * (in[c] - mean);
  const float scale = rsqrtf(total(squares) / columns + 1e-5f);
  for (int c = threadIdx.x; c < columns; c += 256) y[(size_t)blockIdx.x * columns + c] = (in[c] - mean) * scale * w[c] + b[c];
}
