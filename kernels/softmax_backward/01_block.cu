// dx = y * (dy - sum(y * dy)): one block of 256 threads a row, a tree in shared memory.
extern "C" __global__ void softmax_backward_block(const float* y, const float* dy, float* dx, int columns) {
  __shared__ float part[256];
  const size_t row = (size_t)blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += y[row + c] * dy[row + c];
  part[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += 256) dx[row + c] = y[row + c] * (dy[row + c] - part[0]);
}
