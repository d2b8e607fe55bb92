// What lectures teach of memory, rows, sums and blocks, as pairs: NAME_bad before the lesson and NAME_fixed after it.
__constant__ float of_channel[64];
extern "C" {
__global__ void contig_bad(const float* x, float* y) {  // largest of 32 neighbours, all of a thread's own
  const size_t id = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -1e30f;
  for (int k = 0; k < 32; ++k) most = fmaxf(most, x[id * 32 + k]);
  y[id] = most;
}
__global__ void contig_fixed(const float* x, float* y) {  // of 32 that lie a grid apart
  const size_t id = blockIdx.x * blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x;
  float most = -1e30f;
  for (int k = 0; k < 32; ++k) most = fmaxf(most, x[k * all + id]);
  y[id] = most;
}
__global__ void rot90_bad(const int* k, int* i, int side) {  // a picture turned by 90 degrees
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  i[col * side + (side - 1 - row)] = k[row * side + col];
}
__global__ void rot90_fixed(const int* k, int* i, int side) {  // by way of a tile
  __shared__ int tile[32][33];
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = k[(top + r) * side + left + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) i[(left + r) * side + side - 1 - top - threadIdx.x] = tile[threadIdx.x][r];
}
__global__ void rotile_bad(const int* k, int* i, int side) {  // a tile of 32 x 32 whose columns share a bank
  __shared__ int tile[32][32];
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = k[(top + r) * side + left + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) i[(left + r) * side + top + threadIdx.x] = tile[threadIdx.x][r] + 1;
}
__global__ void rotile_fixed(const int* k, int* i, int side) {  // a column more
  __shared__ int tile[32][33];
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = k[(top + r) * side + left + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) i[(left + r) * side + top + threadIdx.x] = tile[threadIdx.x][r] + 1;
}
struct Cell {
  float pressure, speed[3], density, heat, age, kind;
};
__global__ void cells_bad(const float* x, float* y) {  // two of the eight numbers of a cell
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const Cell* cells = (const Cell*)x;
  y[id] = cells[id].pressure / cells[id].density;
}
__global__ void cells_fixed(const float* x, float* y) {  // an array for each
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  y[id] = x[id] / x[4 * all + id];
}
__global__ void mip_bad(const float* x, float* y, int side) {  // the brightest of a volume along its rows, a thread a row
  const size_t id = blockIdx.x * blockDim.x + threadIdx.x;
  float most = 0;
  for (int c = 0; c < side; ++c) most = fmaxf(most, x[id * side + c]);
  y[id] = most;
}
__global__ void mip_fixed(const float* x, float* y, int side) {  // a warp a row
  const size_t id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float most = 0;
  for (int c = threadIdx.x % 32; c < side; c += 32) most = fmaxf(most, x[id * side + c]);
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  if (threadIdx.x % 32 == 0) y[id] = most;
}
__global__ void entropy_bad(const float* x, const int* k, float* y, int classes) {  // a loss over classes, a thread a row
  const size_t row = blockIdx.x * blockDim.x + threadIdx.x;
  const float* from = x + row * classes;
  float most = -1e30f, sum = 0;
  for (int c = 0; c < classes; ++c) most = fmaxf(most, from[c]);
  for (int c = 0; c < classes; ++c) sum += __expf(from[c] - most);
  y[row] = __logf(sum) + most - from[k[row] & (classes - 1)];
}
__global__ void entropy_fixed(const float* x, const int* k, float* y, int classes) {  // a warp a row
  const size_t row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const float* from = x + row * classes;
  const int lane = threadIdx.x % 32;
  float most = -1e30f, sum = 0;
  for (int c = lane; c < classes; c += 32) most = fmaxf(most, from[c]);
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  for (int c = lane; c < classes; c += 32) sum += __expf(from[c] - most);
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  if (lane == 0) y[row] = __logf(sum) + most - from[k[row] & (classes - 1)];
}
__global__ void fold_bad(const float* x, float* y) {  // a tree whose threads go to places 2 s apart
  __shared__ float part[512];
  const int t = threadIdx.x;
  part[t] = fmaxf(x[blockIdx.x * 1024 + t], x[blockIdx.x * 1024 + 512 + t]);
  __syncthreads();
  for (int s = 1; s < 512; s *= 2) {
    const int at = 2 * s * t;
    if (at < 512) part[at] = fmaxf(part[at], part[at + s]);
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
__global__ void fold_fixed(const float* x, float* y) {  // side by side
  __shared__ float part[512];
  const int t = threadIdx.x;
  part[t] = fmaxf(x[blockIdx.x * 1024 + t], x[blockIdx.x * 1024 + 512 + t]);
  __syncthreads();
  for (int s = 256; s > 0; s /= 2) {
    if (t < s) part[t] = fmaxf(part[t], part[t + s]);
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
__global__ void rowmean_bad(const float* x, float* y) {  // a tile of 64 rows, of which each thread takes one
  __shared__ float tile[64][64];
  const float* from = x + (size_t)blockIdx.x * 4096;
  for (int k = threadIdx.x; k < 4096; k += 64) tile[k / 64][k % 64] = from[k];
  __syncthreads();
  float mean = 0, var = 0;
  for (int c = 0; c < 64; ++c) mean += tile[threadIdx.x][c];
  mean /= 64;
  for (int c = 0; c < 64; ++c) var += (tile[threadIdx.x][c] - mean) * (tile[threadIdx.x][c] - mean);
  y[blockIdx.x * 64 + threadIdx.x] = var / 64;
}
__global__ void rowmean_fixed(const float* x, float* y) {  // rows of 65
  __shared__ float tile[64][65];
  const float* from = x + (size_t)blockIdx.x * 4096;
  for (int k = threadIdx.x; k < 4096; k += 64) tile[k / 64][k % 64] = from[k];
  __syncthreads();
  float mean = 0, var = 0;
  for (int c = 0; c < 64; ++c) mean += tile[threadIdx.x][c];
  mean /= 64;
  for (int c = 0; c < 64; ++c) var += (tile[threadIdx.x][c] - mean) * (tile[threadIdx.x][c] - mean);
  y[blockIdx.x * 64 + threadIdx.x] = var / 64;
}
__global__ void hillis_bad(const float* x, float* y) {  // running sums, a barrier after every step of a block
  __shared__ float kept[2][512];
  const int t = threadIdx.x, id = blockIdx.x * 512 + t;
  int in = 0;
  kept[0][t] = x[id];
  __syncthreads();
  for (int s = 1; s < 512; s *= 2) {
    kept[1 - in][t] = t >= s ? kept[in][t] + kept[in][t - s] : kept[in][t];
    in = 1 - in;
    __syncthreads();
  }
  y[id] = kept[in][t];
}
__global__ void hillis_fixed(const float* x, float* y) {  // by shuffles, then the sums of warps
  __shared__ float sums[16];
  const int t = threadIdx.x, id = blockIdx.x * 512 + t, lane = t % 32, warp = t / 32;
  float v = x[id];
  for (int s = 1; s < 32; s *= 2) {
    const float other = __shfl_up_sync(~0u, v, s);
    if (lane >= s) v += other;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0 && lane < 16) {
    float w = sums[lane];
    for (int s = 1; s < 16; s *= 2) {
      const float other = __shfl_up_sync(0xffffu, w, s);
      if (lane >= s) w += other;
    }
    sums[lane] = w;
  }
  __syncthreads();
  y[id] = warp ? v + sums[warp - 1] : v;
}
__global__ void lockstep_bad(const float* x, float* y, int turns) {  // warps that share nothing wait for each other in every turn
  __shared__ float kept[256];
  const int t = threadIdx.x, id = blockIdx.x * 256 + t;
  float v = x[id];
  for (int k = 0; k < turns; ++k) {
    kept[t] = v;
    __syncthreads();
    v = 0.5f * v + 0.25f * (kept[t ^ 1] + kept[t ^ 2]);
    __syncthreads();
  }
  y[id] = v;
}
__global__ void lockstep_fixed(const float* x, float* y, int turns) {  // a warp waits for itself alone
  __shared__ float kept[256];
  const int t = threadIdx.x, id = blockIdx.x * 256 + t;
  float v = x[id];
  for (int k = 0; k < turns; ++k) {
    kept[t] = v;
    __syncwarp();
    v = 0.5f * v + 0.25f * (kept[t ^ 1] + kept[t ^ 2]);
    __syncwarp();
  }
  y[id] = v;
}
__global__ void axisum_bad(const float* x, float* y) {  // the first thread of a block adds up what all have loaded
  __shared__ float row[256];
  row[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += row[k];
    y[blockIdx.x] = sum;
  }
}
__global__ void axisum_fixed(const float* x, float* y) {  // a tree
  __shared__ float row[256];
  row[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) row[threadIdx.x] += row[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = row[0];
}
__global__ void vertices_bad(const int* k, const float* x, float* y) {  // neighbours of vertices, a thread a vertex; few have many
  const int id = blockIdx.x * blockDim.x + threadIdx.x, many = (k[id] & 31) == 0 ? 256 : 4;
  const int first = k[id] >> 4 & 0xfffff;
  float sum = 0;
  for (int e = 0; e < many; ++e) sum += x[first + e];
  y[id] = sum;
}
__global__ void vertices_fixed(const int* k, const float* x, float* y) {  // those with many are done by the whole warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, many = (k[id] & 31) == 0 ? 256 : 4;
  const int first = k[id] >> 4 & 0xfffff;
  float sum = 0;
  for (unsigned left = __ballot_sync(~0u, many > 32); left; left &= left - 1) {
    const int who = __ffs(left) - 1, from = __shfl_sync(~0u, first, who), count = __shfl_sync(~0u, many, who);
    float part = 0;
    for (int e = lane; e < count; e += 32) part += x[from + e];
    for (int s = 16; s > 0; s /= 2) part += __shfl_xor_sync(~0u, part, s);
    if (lane == who) sum = part;
  }
  if (many <= 32)
    for (int e = 0; e < many; ++e) sum += x[first + e];
  y[id] = sum;
}
__global__ void count_bad(const int* k, unsigned* h, int wanted) {  // how many are equal, an atomic for each that is
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if ((k[id] & 3) == wanted) atomicAdd(h, 1u);
}
__global__ void count_fixed(const int* k, unsigned* h, int wanted) {  // an atomic a block
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int all = __syncthreads_count((k[id] & 3) == wanted);
  if (threadIdx.x == 0) atomicAdd(h, (unsigned)all);
}
__global__ void means_bad(const float* x, const int* k, float* o) {  // sums of 16 clusters of points, atomics for every point
  const int id = blockIdx.x * blockDim.x + threadIdx.x, c = k[id] & 15;
  atomicAdd(&o[3 * c], x[2 * id]);
  atomicAdd(&o[3 * c + 1], x[2 * id + 1]);
  atomicAdd(&o[3 * c + 2], 1.0f);
}
__global__ void means_fixed(const float* x, const int* k, float* o) {  // of a block first, which takes 16 points a thread
  __shared__ float sums[48];
  if (threadIdx.x < 48) sums[threadIdx.x] = 0;
  __syncthreads();
  for (int t = 0; t < 16; ++t) {
    const int id = (blockIdx.x * 16 + t) * blockDim.x + threadIdx.x, c = k[id] & 15;
    atomicAdd(&sums[3 * c], x[2 * id]);
    atomicAdd(&sums[3 * c + 1], x[2 * id + 1]);
    atomicAdd(&sums[3 * c + 2], 1.0f);
  }
  __syncthreads();
  if (threadIdx.x < 48) atomicAdd(&o[threadIdx.x], sums[threadIdx.x]);
}
__global__ void dgamma_bad(const float* x, const float* w, float* o) {  // gradients of a norm's 1,024 weights, a block a row
  const float* row = x + (size_t)blockIdx.x * 1024;
  for (int c = threadIdx.x; c < 1024; c += blockDim.x) atomicAdd(&o[c], row[c] * w[c]);
}
__global__ void dgamma_fixed(const float* x, const float* w, float* o) {  // a block takes 128 rows
  for (int c = threadIdx.x; c < 1024; c += blockDim.x) {
    float sum = 0;
    for (int r = 0; r < 128; ++r) sum += x[((size_t)blockIdx.x * 128 + r) * 1024 + c] * w[c];
    atomicAdd(&o[c], sum);
  }
}
__global__ void invert_bad(const int* k, int* j, int n) {  // colours inverted, a byte a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) ((unsigned char*)j)[id] = id % 4 == 3 ? ((const unsigned char*)k)[id] : 255 - ((const unsigned char*)k)[id];
}
__global__ void invert_fixed(const int* k, int* j, int n) {  // a pixel a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * id >= n) return;
  uchar4 v = ((const uchar4*)k)[id];
  ((uchar4*)j)[id] = make_uchar4(255 - v.x, 255 - v.y, 255 - v.z, v.w);
}
__global__ void deq8_bad(const int* k, float* y, float scale) {  // bytes to floats, one a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = ((const signed char*)k)[id] * scale;
}
__global__ void deq8_fixed(const int* k, float* y, float scale) {  // four a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const char4 v = ((const char4*)k)[id];
  ((float4*)y)[id] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}
__global__ void channel_bad(const float* x, float* y) {  // an offset for each channel, from constant memory; channels lie side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = fmaxf(x[id] + of_channel[id & 63], 0.0f);
}
__global__ void channel_fixed(const float* x, float* y) {  // from shared memory
  __shared__ float offsets[64];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64) offsets[threadIdx.x] = x ? 0.0f : of_channel[0];
  __syncthreads();
  y[id] = fmaxf(x[id] + offsets[id & 63], 0.0f);
}
__global__ void tenby_bad(const float* x, float* y, int side) {  // blocks of 10 x 10 threads
  const int col = blockIdx.x * 10 + threadIdx.x, row = blockIdx.y * 10 + threadIdx.y;
  if (col < side && row < side) y[row * side + col] = __expf(x[row * side + col]) * 0.5f + 1;
}
__global__ void tenby_fixed(const float* x, float* y, int side) {  // of 32 x 8
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (col < side && row < side) y[row * side + col] = __expf(x[row * side + col]) * 0.5f + 1;
}
__global__ void tokens_bad(const int* k, const float* x, float* y) {  // rows of 32 numbers of a table, a block of 32 threads each
  const size_t row = k[blockIdx.x] & 0x3ffff;
  y[(size_t)blockIdx.x * 32 + threadIdx.x] = x[row * 32 + threadIdx.x];
}
__global__ void tokens_fixed(const int* k, const float* x, float* y) {  // eight rows a block
  const size_t at = blockIdx.x * 8 + threadIdx.x / 32, row = k[at] & 0x3ffff;
  y[at * 32 + threadIdx.x % 32] = x[row * 32 + threadIdx.x % 32];
}
}
