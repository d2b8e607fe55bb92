// Reads along rows, writes along columns: each lane's store is a sector of its own.
extern "C" __global__ void transpose_naive(const float* x, float* y, int rows, int columns) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r < rows && c < columns) y[(size_t)c * rows + r] = x[(size_t)r * columns + c];
}
