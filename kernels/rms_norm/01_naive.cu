// One block of 256 threads a row, two passes, a tree in shared memory.
__device__ float total(float value) {
  __shared__ float part[256];
  part[threadIdx.x] = value;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthreads();
  return part[0];
}

extern "C" __global__ void rms_norm_naive(const float* x, const float* w, float* y, int columns) {
  const float* in = x + (size_t)blockIdx.x * columns;
  float squares = 0;
  for (int c = threadIdx.x; c < columns; c += 256) squares += in[c] * in[c];
  const float scale = rsqrtf(total(squares) / columns + 1e-6f);
  for (int c = threadIdx.x; c < columns; c += 256) y[(size_t)blockIdx.x * columns + c] = in[c] * scale * w[c];
}
