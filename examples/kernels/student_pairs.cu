// First programs of students, as pairs: NAME_bad as it was handed in and NAME_fixed after one remark.
__constant__ float of_curve[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
__constant__ int of_letter[64] = {7, 3, 9, 1};
extern "C" {
__global__ void floyd_bad(const float* x, float* y, int side, int mid) {  // shortest ways by way of one town
  const int from = blockIdx.x * blockDim.x + threadIdx.x, to = blockIdx.y * blockDim.y + threadIdx.y;
  y[from * side + to] = fminf(x[from * side + to], x[from * side + mid] + x[mid * side + to]);
}
__global__ void floyd_fixed(const float* x, float* y, int side, int mid) {  // neighbours go to neighbouring towns
  const int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * blockDim.y + threadIdx.y;
  y[from * side + to] = fminf(x[from * side + to], x[from * side + mid] + x[mid * side + to]);
}
struct Ball {
  float px, py, pz, mass, vx, vy, vz, age;
};
__global__ void balls_bad(const float* x, float* y) {  // an array of structures of which three numbers are wanted
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const Ball b = ((const Ball*)x)[id];
  y[id] = b.mass * (b.vx + b.vz);
}
__global__ void balls_fixed(const float* x, float* y) {  // a structure of arrays
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[id] = x[3 * n + id] * (x[4 * n + id] + x[6 * n + id]);
}
__global__ void menu_bad(const float* x, float* y) {  // four kinds of customers, who stand mixed
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  const int kind = threadIdx.x % 4;
  if (kind == 0) for (int k = 0; k < 60; ++k) v = v * 0.99f + 0.01f;
  else if (kind == 1) for (int k = 0; k < 60; ++k) v = fmaxf(v * 1.01f, 0.5f) - 0.1f;
  else if (kind == 2) for (int k = 0; k < 60; ++k) v = v - v * v * 0.125f;
  else for (int k = 0; k < 60; ++k) v = fabsf(v - 0.7f) * 1.3f;
  y[id] = v;
}
__global__ void menu_fixed(const float* x, float* y) {  // a warp for each kind
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  const int kind = threadIdx.x / 32 % 4;
  if (kind == 0) for (int k = 0; k < 60; ++k) v = v * 0.99f + 0.01f;
  else if (kind == 1) for (int k = 0; k < 60; ++k) v = fmaxf(v * 1.01f, 0.5f) - 0.1f;
  else if (kind == 2) for (int k = 0; k < 60; ++k) v = v - v * v * 0.125f;
  else for (int k = 0; k < 60; ++k) v = fabsf(v - 0.7f) * 1.3f;
  y[id] = v;
}
__global__ void votes_bad(const int* k, unsigned* h) {  // every voter goes to the same few ballot boxes
  atomicAdd(&h[k[blockIdx.x * blockDim.x + threadIdx.x] & 63], 1u);
}
__global__ void votes_fixed(const int* k, unsigned* h, int n) {  // a block counts by itself first
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[k[id] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&h[threadIdx.x], own[threadIdx.x]);
}
__global__ void darts_bad(const float* x, float* o) {  // pi by darts: every hit is added at once
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 p = ((const float2*)x)[id];
  if (p.x * p.x + p.y * p.y < 1) atomicAdd(o, 1.0f);
}
__global__ void darts_fixed(const float* x, float* o, int n) {  // hits of a warp are added by shuffles, those of a block once
  __shared__ float of_warp[8];
  float hits = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) {
    const float2 p = ((const float2*)x)[id];
    hits += p.x * p.x + p.y * p.y < 1;
  }
  for (int step = 16; step; step /= 2) hits += __shfl_down_sync(~0u, hits, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = hits;
  __syncthreads();
  if (threadIdx.x) return;
  for (int k = 1; k < 8; ++k) hits += of_warp[k];
  atomicAdd(o, hits);
}
__global__ void columns_bad(const float* x, float* y, int side, int rows) {  // a thread sums a column from top to bottom
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += x[(size_t)row * side + col];
  y[col] = sum;
}
__global__ void columns_fixed(const float* x, float* y, int side, int rows) {  // many threads share a column
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int row = blockIdx.y * rows; row < (blockIdx.y + 1) * rows; ++row) sum += x[(size_t)row * side + col];
  y[(size_t)blockIdx.y * side + col] = sum;
}
__global__ void grades_bad(const float* x, float* y) {  // 32 pupils of a class, each adding up a row of the tile
  __shared__ float tile[64][32];
  const float* at = x + (size_t)blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2048; k += 64) tile[k / 32][k % 32] = at[k];
  __syncthreads();
  float sum = 0, most = 0;
  for (int k = 0; k < 32; ++k) {
    sum += tile[threadIdx.x][k];
    most = fmaxf(most, tile[threadIdx.x][k]);
  }
  y[blockIdx.x * 64 + threadIdx.x] = sum - most;
}
__global__ void grades_fixed(const float* x, float* y) {  // rows are one element longer
  __shared__ float tile[64][33];
  const float* at = x + (size_t)blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2048; k += 64) tile[k / 32][k % 32] = at[k];
  __syncthreads();
  float sum = 0, most = 0;
  for (int k = 0; k < 32; ++k) {
    sum += tile[threadIdx.x][k];
    most = fmaxf(most, tile[threadIdx.x][k]);
  }
  y[blockIdx.x * 64 + threadIdx.x] = sum - most;
}
__global__ void digitsum_bad(const int* k, int* i, int base) {  // sums of digits, the base an argument
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id], sum = 0;
  for (int turn = 0; turn < 8; ++turn) {
    sum += v % (unsigned)base;
    v /= (unsigned)base;
  }
  i[id] = sum;
}
__global__ void digitsum_fixed(const int* k, int* i, int base) {  // the base is known
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id], sum = 0;
  for (int turn = 0; turn < 8; ++turn) {
    sum += v % 7u;
    v /= 7u;
  }
  i[id] = sum;
}
__global__ void spring_bad(const float* x, float* y) {  // a mass on a spring, the numbers without their f
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float at = x[id], speed = 0;
  for (int k = 0; k < 24; ++k) {
    speed -= at * 0.37 + speed * 0.02;
    at += speed * 0.01;
  }
  y[id] = at;
}
__global__ void spring_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float at = x[id], speed = 0;
  for (int k = 0; k < 24; ++k) {
    speed -= at * 0.37f + speed * 0.02f;
    at += speed * 0.01f;
  }
  y[id] = at;
}
__global__ void tones_bad(const float* x, float* y, int tones) {  // a chord of sines
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 1; k <= tones; ++k) sum += sinf(x[id] * k) / k;
  y[id] = sum;
}
__global__ void tones_fixed(const float* x, float* y, int tones) {  // quick ones
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 1; k <= tones; ++k) sum += __fdividef(__sinf(x[id] * k), k);
  y[id] = sum;
}
__global__ void distances_bad(const float* x, const float* w, float* y, int side, int length) {  // of all points to all
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < length; ++k) {
    const float d = x[row * length + k] - x[(size_t)k * side + col];
    sum += d * d;
  }
  y[(size_t)row * side + col] = sum + w[0];
}
__global__ void distances_fixed(const float* x, const float* w, float* y, int side, int length) {  // tiles, four rows a thread
  __shared__ float left[64][16], right[16][16];
  const int col = blockIdx.x * 16 + threadIdx.x, top = blockIdx.y * 64;
  float sum[4] = {};
  for (int at = 0; at < length; at += 16) {
    for (int r = threadIdx.y; r < 64; r += 16) left[r][threadIdx.x] = x[(top + r) * length + at + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = x[(size_t)(at + threadIdx.y) * side + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int r = 0; r < 4; ++r) {
        const float d = left[threadIdx.y + 16 * r][k] - right[k][threadIdx.x];
        sum[r] += d * d;
      }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) y[(size_t)(top + threadIdx.y + 16 * r) * side + col] = sum[r] + w[0];
}
__global__ void greedy_bad(const int* k, const float* x, float* y) {  // asks for all of shared memory and uses a corner
  extern __shared__ float corner[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  corner[threadIdx.x] = x[k[id]];
  float v = corner[threadIdx.x];
  for (int turn = 0; turn < 3; ++turn) v += x[(k[id] ^ (int)(v * 4096)) & 0xffffff];
  y[id] = v;
}
__global__ void greedy_fixed(const int* k, const float* x, float* y) {
  extern __shared__ float corner[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  corner[threadIdx.x] = x[k[id]];
  float v = corner[threadIdx.x];
  for (int turn = 0; turn < 3; ++turn) v += x[(k[id] ^ (int)(v * 4096)) & 0xffffff];
  y[id] = v;
}
__global__ void clampall_bad(const float* x, float* y) {  // blocks of a warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = fminf(fmaxf(x[id], 0.25f), 0.75f);
}
__global__ void clampall_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = fminf(fmaxf(x[id], 0.25f), 0.75f);
}
__global__ void hundred_bad(const float* x, float* y, int n) {  // blocks of a hundred
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = id < n ? x[id] : 0;
  for (int k = 0; k < 40; ++k) v = v * v + 0.1f;
  if (id < n) y[id] = v;
}
__global__ void hundred_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = id < n ? x[id] : 0;
  for (int k = 0; k < 40; ++k) v = v * v + 0.1f;
  if (id < n) y[id] = v;
}
__global__ void negative_bad(const int* k, int* i) {  // a picture byte by byte
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  ((unsigned char*)i)[id] = 255 - ((const unsigned char*)k)[id];
}
__global__ void negative_fixed(const int* k, int* i) {  // sixteen bytes at once
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 v = ((const uint4*)k)[id];
  v.x = ~v.x, v.y = ~v.y, v.z = ~v.z, v.w = ~v.w;
  ((uint4*)i)[id] = v;
}
__global__ void heats_bad(const float* x, float* y, int steps) {  // heat in rods of 32, a barrier for all between the steps
  __shared__ float now[256];
  const int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = x[id];
  for (int k = 0; k < steps; ++k) {
    now[threadIdx.x] = v;
    __syncthreads();
    const float left = lane > 0 ? now[threadIdx.x - 1] : v, right = lane < 31 ? now[threadIdx.x + 1] : v;
    v += 0.2f * (left - 2 * v + right);
    __syncthreads();
  }
  y[id] = v;
}
__global__ void heats_fixed(const float* x, float* y, int steps) {  // shuffles
  const int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = x[id];
  for (int k = 0; k < steps; ++k) {
    const float below = __shfl_up_sync(~0u, v, 1), above = __shfl_down_sync(~0u, v, 1);
    const float left = lane > 0 ? below : v, right = lane < 31 ? above : v;
    v += 0.2f * (left - 2 * v + right);
  }
  y[id] = v;
}
__global__ void rabbits_bad(const float* x, float* y, int years) {  // four islands of rabbits, one after the other
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int island = 0; island < 4; ++island) {
    float v = x[4 * id + island];
    for (int k = 0; k < years; ++k) v = 3.6f * v * (1 - v);
    y[4 * id + island] = v;
  }
}
__global__ void rabbits_fixed(const float* x, float* y, int years) {  // all four year by year
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v[4];
  for (int island = 0; island < 4; ++island) v[island] = x[4 * id + island];
  for (int k = 0; k < years; ++k)
    for (int island = 0; island < 4; ++island) v[island] = 3.6f * v[island] * (1 - v[island]);
  for (int island = 0; island < 4; ++island) y[4 * id + island] = v[island];
}
__global__ void dials_bad(const int* k, int* i) {  // eight counters in an array, by what comes
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  int count[8] = {};
  for (int turn = 0; turn < 32; ++turn) ++count[k[turn * n + id] & 7];
  int most = 0;
  for (int dial = 0; dial < 8; ++dial) most = max(most, count[dial] * 8 + dial);
  i[id] = most;
}
__global__ void dials_fixed(const int* k, int* i) {  // eight bytes of a register
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned long long counts = 0;
  for (int turn = 0; turn < 32; ++turn) counts += 1ull << 8 * (k[turn * n + id] & 7);
  int most = 0;
  for (int dial = 0; dial < 8; ++dial) most = max(most, (int)(counts >> 8 * dial & 255) * 8 + dial);
  i[id] = most;
}
__global__ void stars_bad(const float* x, float* y, int work) {  // too few large blocks for a whole wave more
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < work; ++k) v = v * 0.999f + 0.001f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void stars_fixed(const float* x, float* y, int work) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < work; ++k) v = v * 0.999f + 0.001f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void echo_bad(const float* x, const float* w, float* y, int taps) {  // an echo of a length known at run time
  extern __shared__ float part[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = x[id];
  if (threadIdx.x < taps) part[blockDim.x + threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < taps; ++k) sum += part[(threadIdx.x + k) & 255] * part[blockDim.x + k];
  y[id] = sum;
}
__global__ void echo_fixed(const float* x, const float* w, float* y, int) {  // of 24
  extern __shared__ float part[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = x[id];
  if (threadIdx.x < 24) part[blockDim.x + threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 24; ++k) sum += part[(threadIdx.x + k) & 255] * part[blockDim.x + k];
  y[id] = sum;
}
__global__ void curve_bad(const float* x, const float* w, float* y) {  // a polynomial whose coefficients lie in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int k = 0; k < 16; ++k) sum = sum * v + w[k];
  y[id] = sum;
}
__global__ void curve_fixed(const float* x, const float* w, float* y) {  // in constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = w ? 0 : 1;
  for (int k = 0; k < 16; ++k) sum = sum * v + of_curve[k];
  y[id] = sum;
}
__global__ void secret_bad(const int* k, int* i) {  // a cipher's table in constant memory, at places that differ
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int v = k[id];
  for (int turn = 0; turn < 6; ++turn) v = of_letter[v & 63] + (v >> 6);
  i[id] = v;
}
__global__ void secret_fixed(const int* k, int* i) {  // in shared memory
  __shared__ int table[64];
  if (threadIdx.x < 64) table[threadIdx.x] = of_letter[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int v = k[id];
  for (int turn = 0; turn < 6; ++turn) v = table[v & 63] + (v >> 6);
  i[id] = v;
}
__global__ void tally_bad(float* y, int width) {  // running sums in global memory, a barrier for every step
  float* own = y + (size_t)blockIdx.x * width;
  for (int step = 1; step < width; step *= 2) {
    const float more = threadIdx.x >= step ? own[threadIdx.x - step] : 0;
    __syncthreads();
    own[threadIdx.x] += more;
    __syncthreads();
  }
}
__global__ void tally_fixed(float* y, int width) {  // in shared memory
  __shared__ float own[512];
  own[threadIdx.x] = y[(size_t)blockIdx.x * width + threadIdx.x];
  __syncthreads();
  for (int step = 1; step < width; step *= 2) {
    const float more = threadIdx.x >= step ? own[threadIdx.x - step] : 0;
    __syncthreads();
    own[threadIdx.x] += more;
    __syncthreads();
  }
  y[(size_t)blockIdx.x * width + threadIdx.x] = own[threadIdx.x];
}
}
