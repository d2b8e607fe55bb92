// Stencils: a plane with its border in shared memory, and a volume whose planes pass through registers.
constexpr int kTile = 16, kRadius = 2;

// y = the mean of the 5x5 cells around each; outside the plane lie zeros.
extern "C" __global__ void blur_2d(const float* x, float* y, int width, int height) {
  constexpr int kSide = kTile + 2 * kRadius;
  __shared__ float tile[kSide][kSide + 1];
  int left = blockIdx.x * kTile - kRadius, top = blockIdx.y * kTile - kRadius;
  for (int t = threadIdx.y * kTile + threadIdx.x; t < kSide * kSide; t += kTile * kTile) {
    int column = left + t % kSide, row = top + t / kSide;
    bool inside = column >= 0 && column < width && row >= 0 && row < height;
    tile[t / kSide][t % kSide] = inside ? x[row * width + column] : 0;
  }
  __syncthreads();
  int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  if (column >= width || row >= height) return;
  float sum = 0;
  for (int dy = 0; dy <= 2 * kRadius; ++dy)
    for (int dx = 0; dx <= 2 * kRadius; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  y[row * width + column] = sum / 25;
}

extern "C" __global__ void blur_2d_plain(const float* x, float* y, int width, int height) {
  int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  if (column >= width || row >= height) return;
  float sum = 0;
  for (int r = row - kRadius; r <= row + kRadius; ++r)
    for (int c = column - kRadius; c <= column + kRadius; ++c)
      if (r >= 0 && r < height && c >= 0 && c < width) sum += x[r * width + c];
  y[row * width + column] = sum / 25;
}

// The seven-point Laplacian: each thread walks up a column of cells and keeps three of them.
extern "C" __global__ void laplacian_3d(const float* x, float* y, int width, int height, int depth) {
  __shared__ float plane[kTile + 2][kTile + 2];
  int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  auto cell = [&](int c, int r, int z) {
    return c >= 0 && c < width && r >= 0 && r < height && z >= 0 && z < depth ? x[(z * height + r) * width + c] : 0;
  };
  float below = 0, here = cell(column, row, 0);
  for (int z = 0; z < depth; ++z) {
    float above = cell(column, row, z + 1);
    plane[ty][tx] = here;
    if (tx == 1) plane[ty][0] = cell(column - 1, row, z);
    if (tx == kTile) plane[ty][kTile + 1] = cell(column + 1, row, z);
    if (ty == 1) plane[0][tx] = cell(column, row - 1, z);
    if (ty == kTile) plane[kTile + 1][tx] = cell(column, row + 1, z);
    __syncthreads();
    if (column < width && row < height)
      y[(z * height + row) * width + column] =
          plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + below + above - 6 * here;
    __syncthreads();
    below = here, here = above;
  }
}

extern "C" __global__ void laplacian_3d_plain(const float* x, float* y, int width, int height, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height * depth) return;
  int c = i % width, r = i / width % height, z = i / (width * height), layer = width * height;
  float sum = -6 * x[i];
  if (c > 0) sum += x[i - 1];
  if (c + 1 < width) sum += x[i + 1];
  if (r > 0) sum += x[i - width];
  if (r + 1 < height) sum += x[i + width];
  if (z > 0) sum += x[i - layer];
  if (z + 1 < depth) sum += x[i + layer];
  y[i] = sum;
}
