// One block a row for dx, trees in shared memory; one thread a column for the gradient of the weight.
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

// Keeps the scale of each row for the second kernel.
extern "C" __global__ void rms_norm_dx(const float* x, const float* w, const float* dy, float* dx, float* kept, int columns) {
  const size_t row = (size_t)blockIdx.x * columns;
  float squares = 0, along = 0;
  for (int c = threadIdx.x; c < columns; c += 256) squares += x[row + c] * x[row + c];
  const float scale = rsqrtf(total(squares) / columns + 1e-6f);
  for (int c = threadIdx.x; c < columns; c += 256) along += dy[row + c] * w[c] * x[row + c] * scale;
  along = total(along) / columns;
  for (int c = threadIdx.x; c < columns; c += 256) dx[row + c] = (dy[row + c] * w[c] - x[row + c] * scale * along) * scale;
  if (threadIdx.x == 0) kept[blockIdx.x] = scale;
}

extern "C" __global__ void rms_norm_dw(const float* x, const float* dy, const float* kept, float* dw, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float along = 0;
  for (int r = 0; r < rows; ++r) along += dy[(size_t)r * columns + c] * x[(size_t)r * columns + c] * kept[r];
  dw[c] = along;
}
