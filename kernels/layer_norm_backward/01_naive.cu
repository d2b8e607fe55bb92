// One block a row for dx, trees in shared memory; one thread a column for the gradients of weight and bias.
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

// Keeps mean and scale of each row for the second kernel.
extern "C" __global__ void layer_norm_dx(const float* x, const float* w, const float* dy, float* dx, float* kept, int columns) {
  const size_t row = (size_t)blockIdx.x * columns;
  float sum = 0, squares = 0, plain = 0, along = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += x[row + c];
  const float mean = total(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += 256) squares += (x[row + c] - mean) * (x[row + c] - mean);
  const float scale = rsqrtf(total(squares) / columns + 1e-5f);
  for (int c = threadIdx.x; c < columns; c += 256) {
    const float g = dy[row + c] * w[c];
    plain += g, along += g * (x[row + c] - mean) * scale;
  }
  plain = total(plain) / columns, along = total(along) / columns;
  for (int c = threadIdx.x; c < columns; c += 256)
    dx[row + c] = (dy[row + c] * w[c] - plain - (x[row + c] - mean) * scale * along) * scale;
  if (threadIdx.x == 0) kept[2 * blockIdx.x] = mean, kept[2 * blockIdx.x + 1] = scale;
}

extern "C" __global__ void layer_norm_dw(const float* x, const float* dy, const float* kept, float* dw, float* db, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float along = 0, plain = 0;
  for (int r = 0; r < rows; ++r) {
    const float g = dy[(size_t)r * columns + c];
    plain += g, along += g * (x[(size_t)r * columns + c] - kept[2 * r]) * kept[2 * r + 1];
  }
  dw[c] = along, db[c] = plain;
}
