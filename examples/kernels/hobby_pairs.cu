// Small programs that people write in the evening, as pairs: NAME_bad as it came to mind and NAME_fixed with one thing changed.
extern "C" {
__global__ void heights_bad(const float* x, float* y, int side) {  // slopes of a map, the map's rows along threadIdx.y
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  const float here = x[row * side + col], east = col + 1 < side ? x[row * side + col + 1] : here;
  y[row * side + col] = (east - here) * 8;
}
__global__ void heights_fixed(const float* x, float* y, int side) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const float here = x[row * side + col], east = col + 1 < side ? x[row * side + col + 1] : here;
  y[row * side + col] = (east - here) * 8;
}
__global__ void pixels_bad(const int* k, float* y) {  // brightness of pixels of three bytes, one byte at a time
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char* p = (const unsigned char*)k + 3 * (size_t)id;
  y[id] = 0.3f * p[0] + 0.59f * p[1] + 0.11f * p[2];
}
__global__ void pixels_fixed(const int* k, float* y) {  // four pixels from three words
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = k[3 * id], b = k[3 * id + 1], c = k[3 * id + 2];
  float4 out;
  out.x = 0.3f * (a & 255) + 0.59f * (a >> 8 & 255) + 0.11f * (a >> 16 & 255);
  out.y = 0.3f * (a >> 24) + 0.59f * (b & 255) + 0.11f * (b >> 8 & 255);
  out.z = 0.3f * (b >> 16 & 255) + 0.59f * (b >> 24) + 0.11f * (c & 255);
  out.w = 0.3f * (c >> 8 & 255) + 0.59f * (c >> 16 & 255) + 0.11f * (c >> 24);
  ((float4*)y)[id] = out;
}
__global__ void fern_bad(const float* x, float* y) {  // a leaf by chance: every lane draws a map of its own
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float u = x[id], v = 0;
  unsigned seed = id * 2654435761u;
  for (int k = 0; k < 24; ++k) {
    seed = seed * 1664525u + 1013904223u;
    const unsigned draw = seed >> 30;
    if (draw == 0) u = 0.16f * v, v = u * 0.5f + rsqrtf(v * v + 1);
    else if (draw == 1) v = 0.85f * v + 1.6f, u = u * rsqrtf(u * u + v * v + 1);
    else if (draw == 2) u = 0.2f * u - 0.26f * v, v = v / (1 + fabsf(u));
    else v = sqrtf(fabsf(u + v)), u = u * 0.3f + v * 0.1f;
  }
  y[id] = u + v;
}
__global__ void fern_fixed(const float* x, float* y) {  // a warp draws for all of its lanes
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float u = x[id], v = 0;
  unsigned seed = (id / 32) * 2654435761u;
  for (int k = 0; k < 24; ++k) {
    seed = seed * 1664525u + 1013904223u;
    const unsigned draw = seed >> 30;
    if (draw == 0) u = 0.16f * v, v = u * 0.5f + rsqrtf(v * v + 1);
    else if (draw == 1) v = 0.85f * v + 1.6f, u = u * rsqrtf(u * u + v * v + 1);
    else if (draw == 2) u = 0.2f * u - 0.26f * v, v = v / (1 + fabsf(u));
    else v = sqrtf(fabsf(u + v)), u = u * 0.3f + v * 0.1f;
  }
  y[id] = u + v;
}
__global__ void rain_bad(const float* x, float* o, int cells) {  // drops that fall into a few puddles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float drop = x[id];
  atomicAdd(&o[(int)(drop * cells)], drop);
}
__global__ void rain_fixed(const float* x, float* o, int cells, int n) {  // puddles of the block's own
  extern __shared__ float own[];
  for (int k = threadIdx.x; k < cells; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[(int)(x[id] * cells)], x[id]);
  __syncthreads();
  for (int k = threadIdx.x; k < cells; k += blockDim.x) atomicAdd(&o[k], own[k]);
}
__global__ void song_bad(const float* x, float* y, int length) {  // loudness of eight songs, a block for each
  __shared__ float of_thread[256];
  float sum = 0;
  for (int k = threadIdx.x; k < length; k += 256) sum += x[(size_t)blockIdx.x * length + k] * x[(size_t)blockIdx.x * length + k];
  of_thread[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step; step /= 2) {
    if (threadIdx.x < step) of_thread[threadIdx.x] += of_thread[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = of_thread[0];
}
__global__ void song_fixed(const float* x, float* y, int length) {  // parts of songs
  __shared__ float of_thread[256];
  float sum = 0;
  for (int k = threadIdx.x; k < length; k += 256) sum += x[(size_t)blockIdx.x * length + k] * x[(size_t)blockIdx.x * length + k];
  of_thread[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step; step /= 2) {
    if (threadIdx.x < step) of_thread[threadIdx.x] += of_thread[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = of_thread[0];
}
__global__ void carpet_bad(const float* x, float* y, int rounds) {  // a pattern woven in shared memory, two numbers a thread
  __shared__ float thread[512];
  const int id = blockIdx.x * 512 + threadIdx.x;
  thread[threadIdx.x] = x[id], thread[threadIdx.x + 256] = x[id + 256];
  __syncthreads();
  float v = 0;
  for (int k = 0; k < rounds; ++k) v += thread[(threadIdx.x * 16 + k) & 511] * 0.5f;
  y[blockIdx.x * 256 + threadIdx.x] = v;
}
__global__ void carpet_fixed(const float* x, float* y, int rounds) {  // threads go by neighbours
  __shared__ float thread[512];
  const int id = blockIdx.x * 512 + threadIdx.x;
  thread[threadIdx.x] = x[id], thread[threadIdx.x + 256] = x[id + 256];
  __syncthreads();
  float v = 0;
  for (int k = 0; k < rounds; ++k) v += thread[(threadIdx.x + k * 16) & 511] * 0.5f;
  y[blockIdx.x * 256 + threadIdx.x] = v;
}
__global__ void clock_bad(const int* k, int* i, int hours, int minutes) {  // seconds as hours, minutes and the rest
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const int seconds = k[id] + turn * 7919;
    sum += seconds / hours + seconds % hours / minutes * 3 + seconds % minutes;
  }
  i[id] = sum;
}
__global__ void clock_fixed(const int* k, int* i, int, int) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const int seconds = k[id] + turn * 7919;
    sum += seconds / 3600 + seconds % 3600 / 60 * 3 + seconds % 60;
  }
  i[id] = sum;
}
__global__ void orbit_bad(const float* x, float* y, int steps) {  // a planet on its way, with pow and constants of double
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float px = 1 + x[id], py = 0, vx = 0, vy = 0.9f;
  for (int k = 0; k < steps; ++k) {
    const float far = sqrtf(px * px + py * py);
    vx -= px / (far * far * far) * 0.005;
    vy -= py / (far * far * far) * 0.005;
    px += vx * 0.005;
    py += vy * 0.005;
  }
  y[id] = px + py;
}
__global__ void orbit_fixed(const float* x, float* y, int steps) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float px = 1 + x[id], py = 0, vx = 0, vy = 0.9f;
  for (int k = 0; k < steps; ++k) {
    const float far = sqrtf(px * px + py * py);
    vx -= px / (far * far * far) * 0.005f;
    vy -= py / (far * far * far) * 0.005f;
    px += vx * 0.005f;
    py += vy * 0.005f;
  }
  y[id] = px + py;
}
__global__ void scores_bad(const float* x, float* y, int length) {  // how far from the mean, in deviations: three times through a row
  __shared__ float part[8];
  const float* row = x + (size_t)blockIdx.x * length;
  float sum = 0, squares = 0;
  for (int k = threadIdx.x; k < length; k += 256) sum += row[k];
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  float mean = 0;
  for (int k = 0; k < 8; ++k) mean += part[k] / length;
  __syncthreads();
  for (int k = threadIdx.x; k < length; k += 256) squares += (row[k] - mean) * (row[k] - mean);
  for (int step = 16; step; step /= 2) squares += __shfl_xor_sync(~0u, squares, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
  __syncthreads();
  float all = 0;
  for (int k = 0; k < 8; ++k) all += part[k];
  const float scale = rsqrtf(all / length + 1e-6f);
  for (int k = threadIdx.x; k < length; k += 256) y[(size_t)blockIdx.x * length + k] = (row[k] - mean) * scale;
}
__global__ void scores_fixed(const float* x, float* y, int length) {  // the row stays in registers
  __shared__ float part[8];
  const float* row = x + (size_t)blockIdx.x * length;
  float sum = 0, squares = 0, own[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += own[k] = row[threadIdx.x + 256 * k];
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  float mean = 0;
  for (int k = 0; k < 8; ++k) mean += part[k] / length;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; ++k) squares += (own[k] - mean) * (own[k] - mean);
  for (int step = 16; step; step /= 2) squares += __shfl_xor_sync(~0u, squares, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
  __syncthreads();
  float all = 0;
  for (int k = 0; k < 8; ++k) all += part[k];
  const float scale = rsqrtf(all / length + 1e-6f);
#pragma unroll
  for (int k = 0; k < 32; ++k) y[(size_t)blockIdx.x * length + threadIdx.x + 256 * k] = (own[k] - mean) * scale;
}
__global__ void sandpile_bad(const float* x, float* y, int rounds) {  // grains slide to the left, all 512 of a block in step
  __shared__ float pile[512];
  const int id = blockIdx.x * 512 + threadIdx.x;
  pile[threadIdx.x] = x[id];
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    const float right = threadIdx.x % 32 < 31 ? pile[threadIdx.x + 1] : 0;
    __syncthreads();
    pile[threadIdx.x] = pile[threadIdx.x] * 0.9f + right * 0.1f;
    __syncthreads();
  }
  y[id] = pile[threadIdx.x];
}
__global__ void sandpile_fixed(const float* x, float* y, int rounds) {  // by shuffles: grains never leave a warp
  const int id = blockIdx.x * 512 + threadIdx.x;
  float own = x[id];
  for (int k = 0; k < rounds; ++k) {
    const float next = __shfl_down_sync(~0u, own, 1), right = threadIdx.x % 32 < 31 ? next : 0;
    own = own * 0.9f + right * 0.1f;
  }
  y[id] = own;
}
__global__ void savings_bad(const float* x, float* y, int months) {  // compound interest, a thread's two accounts one by one
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float one = x[2 * id], two = x[2 * id + 1];
  for (int k = 0; k < months; ++k) one = one * 1.0003f + 0.01f;
  for (int k = 0; k < months; ++k) two = two * 1.0003f + 0.01f;
  y[id] = one - two;
}
__global__ void savings_fixed(const float* x, float* y, int months) {  // month by month
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float one = x[2 * id], two = x[2 * id + 1];
  for (int k = 0; k < months; ++k) {
    one = one * 1.0003f + 0.01f;
    two = two * 1.0003f + 0.01f;
  }
  y[id] = one - two;
}
__global__ void medals_bad(const float* x, float* y) {  // the best three of 48, kept in an array by place
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float best[3] = {-1, -1, -1};
  for (int k = 0; k < 48; ++k) {
    const float v = x[(k * n + id) & 0xffffff];
    int place = 3;
    while (place > 0 && v > best[place - 1]) --place;
    for (int j = 2; j > place; --j) best[j] = best[j - 1];
    if (place < 3) best[place] = v;
  }
  y[id] = best[0] * 4 + best[1] * 2 + best[2];
}
__global__ void medals_fixed(const float* x, float* y) {  // in three registers
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float a = -1, b = -1, c = -1;
  for (int k = 0; k < 48; ++k) {
    const float v = x[(k * n + id) & 0xffffff];
    c = fmaxf(c, fminf(b, v));
    b = fmaxf(b, fminf(a, v));
    a = fmaxf(a, v);
  }
  y[id] = a * 4 + b * 2 + c;
}
__global__ void friends_bad(const float* x, float* y, int people) {  // likeness of all to all, 64 answers each
  const int a = blockIdx.y * blockDim.y + threadIdx.y, b = blockIdx.x * blockDim.x + threadIdx.x;
  float like = 0;
  for (int k = 0; k < 64; ++k) like += x[a * 64 + k] * x[k * people + b];
  y[a * people + b] = like;
}
__global__ void friends_fixed(const float* x, float* y, int people) {  // tiles, and four people a thread
  __shared__ float of_a[64][17], of_b[16][16];
  const int b = blockIdx.x * 16 + threadIdx.x, top = blockIdx.y * 64;
  float like[4] = {};
  for (int at = 0; at < 64; at += 16) {
    for (int r = threadIdx.y; r < 64; r += 16) of_a[r][threadIdx.x] = x[(top + r) * 64 + at + threadIdx.x];
    of_b[threadIdx.y][threadIdx.x] = x[(at + threadIdx.y) * people + b];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
      for (int r = 0; r < 4; ++r) like[r] += of_a[threadIdx.y + 16 * r][k] * of_b[k][threadIdx.x];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) y[(top + threadIdx.y + 16 * r) * people + b] = like[r];
}
__global__ void seats_bad(const float* x, float* y, int n) {  // rows of twenty seats, a block for each
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = x[id] * 0.5f + 1;
}
__global__ void seats_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = x[id] * 0.5f + 1;
}
}
