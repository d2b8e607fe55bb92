// A twelfth round of kernels that ordinary people write, as pairs: NAME_bad has one defect and NAME_fixed does not. Written after the rules
// were mended by the eleventh, and before the model's answers were seen.
extern "C" {
__global__ void segsum_bad(const float* x, float* sums, int each) {  // sums of segments of neighbours, an atomic a number
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sums[i / each], x[i]);
}
__global__ void segsum_fixed(const float* x, float* sums, int each) {  // a warp's numbers are of one segment
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int m = 16; m; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[i / each], v);
}

__global__ void extremes_bad(const int* x, unsigned* out) {  // the least and the largest of all
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin((int*)&out[0], x[i]);
  atomicMax((int*)&out[1], x[i]);
}
__global__ void extremes_fixed(const int* x, unsigned* out) {
  __shared__ int least, most;
  if (threadIdx.x == 0) least = 0x7fffffff, most = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = __reduce_min_sync(0xffffffff, x[i]), b = __reduce_max_sync(0xffffffff, x[i]);
  if (threadIdx.x % 32 == 0) atomicMin(&least, a), atomicMax(&most, b);
  __syncthreads();
  if (threadIdx.x == 0) atomicMin((int*)&out[0], least), atomicMax((int*)&out[1], most);
}

struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void energies_bad(const float* particles, float* out) {  // kinetic energies of an array of structures
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Particle* p = (const Particle*)particles;
  out[i] = 0.5f * p[i].mass * (p[i].vx * p[i].vx + p[i].vy * p[i].vy + p[i].vz * p[i].vz);
}
__global__ void energies_fixed(const float* particles, float* out) {  // a structure of arrays
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float vx = particles[3 * n + i], vy = particles[4 * n + i], vz = particles[5 * n + i], mass = particles[6 * n + i];
  out[i] = 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

__global__ void largest_bad(const float* x, float* out, int rows, int columns) {  // the largest of each column, few threads
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float most = 0;
  for (int r = 0; r < rows; r++) most = fmaxf(most, x[r * columns + c]);
  out[c] = most;
}
__global__ void largest_fixed(const float* x, float* out, int rows, int columns) {  // 64 parts of the rows
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float most = 0;
  for (int r = blockIdx.y * (rows / 64); r < (blockIdx.y + 1) * (rows / 64); r++) most = fmaxf(most, x[r * columns + c]);
  atomicMax((int*)&out[c], __float_as_int(most));
}

__global__ void bigger_bad(const float* in, float* out, int width, int height, int factor) {  // an image enlarged, index by index
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int c = i % width, r = i / width % height, plane = i / width / height;
  out[i] = in[(plane * (height / factor) + r / factor) * (width / factor) + c / factor];
}
__global__ void bigger_fixed(const float* in, float* out, int width, int height, int factor) {  // columns, rows and planes by the grid
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, plane = blockIdx.z;
  out[(plane * height + r) * width + c] = in[(plane * (height / 2) + (r >> 1)) * (width / 2) + (c >> 1)];
}

__global__ void gates_bad(const float* x, const float* z, float* y, int turns) {  // an LSTM's gates
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float c = x[i], h = z[i];
  for (int k = 0; k < turns; k++) {
    float f = 1 / (1 + expf(-h)), g = tanhf(c);
    c = f * c + (1 - f) * g;
    h = f * tanhf(c);
  }
  y[i] = h;
}
__device__ inline float quick_tanh(float v) { float e = __expf(2 * v); return __fdividef(e - 1, e + 1); }
__global__ void gates_fixed(const float* x, const float* z, float* y, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float c = x[i], h = z[i];
  for (int k = 0; k < turns; k++) {
    float f = __fdividef(1, 1 + __expf(-h)), g = quick_tanh(c);
    c = f * c + (1 - f) * g;
    h = f * quick_tanh(c);
  }
  y[i] = h;
}

__global__ void blend3_bad(const float* in, float* out, int width) {  // a filter of three with constants in double precision
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 3; k++) sum += in[(r + k) * width + c] * 0.25 + in[(r + k) * width + c + 1] * 0.5 + in[(r + k) * width + c + 2] * 0.25;
  out[r * width + c] = sum / 3.0;
}
__global__ void blend3_fixed(const float* in, float* out, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 3; k++) sum += in[(r + k) * width + c] * 0.25f + in[(r + k) * width + c + 1] * 0.5f + in[(r + k) * width + c + 2] * 0.25f;
  out[r * width + c] = sum / 3.0f;
}

__global__ void layer_bad(const float* a, const float* b, float* c, int n, int depth) {  // a dense layer: a result a thread, tiles of 32
  __shared__ float s[32][32], t[32][32];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k = 0; k < depth; k += 32) {
    s[y][x] = a[row * depth + k + x];
    t[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int e = 0; e < 32; e++) sum += s[y][e] * t[e][x];
    __syncthreads();
  }
  c[row * n + col] = fmaxf(sum, 0);
}
__global__ void layer_fixed(const float* a, const float* b, float* c, int n, int depth) {  // 64 by 64 results a block, 16 a thread
  __shared__ float s[16][68], t[16][64];
  int id = threadIdx.x, row = blockIdx.y * 64, col = blockIdx.x * 64, tr = id / 16 * 4, tc = id % 16 * 4;
  float sum[4][4] = {};
  for (int k = 0; k < depth; k += 16) {
    for (int e = id; e < 1024; e += 256) s[e % 16][e / 16] = a[(row + e / 16) * depth + k + e % 16], t[e / 64][e % 64] = b[(k + e / 64) * n + col + e % 64];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; e++) {
      float4 u = *(float4*)&s[e][tr], v = *(float4*)&t[e][tc];
      float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sum[i][j] += us[i] * vs[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(row + tr + i) * n + col + tc + j] = fmaxf(sum[i][j], 0);
}

__global__ void growth_bad(const float* rates, float* out, int days) {  // balances over time, an account a thread
  int account = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int d = 0; d < days; d++) {
    sum += rates[account * days + d];
    out[account * days + d] = sum;
  }
}
__global__ void growth_fixed(const float* rates, float* out, int days) {  // a warp an account
  int account = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float before = 0;
  for (int d = lane; d < days; d += 32) {
    float v = rates[account * days + d];
    for (int k = 1; k < 32; k *= 2) {
      float u = __shfl_up_sync(0xffffffff, v, k);
      if (lane >= k) v += u;
    }
    out[account * days + d] = before + v;
    before += __shfl_sync(0xffffffff, v, 31);
  }
}

__global__ void modes_bad(const int* x, int* out, int each) {  // each thread's most frequent of 16 values, counted in an array
  int i = blockIdx.x * blockDim.x + threadIdx.x, counts[16];
  for (int b = 0; b < 16; b++) counts[b] = 0;
  for (int k = 0; k < each; k++) counts[x[k * gridDim.x * blockDim.x + i] & 15]++;
  int best = 0;
  for (int b = 1; b < 16; b++)
    if (counts[b] > counts[best]) best = b;
  out[i] = best;
}
__global__ void modes_fixed(const int* x, int* out, int each) {  // in shared memory, a column a thread
  __shared__ unsigned char counts[16][256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int b = 0; b < 16; b++) counts[b][t] = 0;
  for (int k = 0; k < each; k++) counts[x[k * gridDim.x * blockDim.x + i] & 15][t]++;
  int best = 0;
  for (int b = 1; b < 16; b++)
    if (counts[b][t] > counts[best][t]) best = b;
  out[i] = best;
}

__global__ void lookup_bad(const int* ids, const float* table, float* out) {  // rows of a table by random numbers: nothing to mend
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = table[ids[i] & 0x3fffff] * 2;
}
__global__ void lookup_fixed(const int* __restrict__ ids, const float* __restrict__ table, float* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = table[ids[i] & 0x3fffff] * 2;
}

__global__ void rotate_bad(const float* in, float* out, int n) {  // a picture turned through a tile without padding
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = y; k < 32; k += 8) tile[k][x] = in[(blockIdx.y * 32 + k) * n + blockIdx.x * 32 + x];
  __syncthreads();
  for (int k = y; k < 32; k += 8) out[(blockIdx.x * 32 + k) * n + n - 1 - blockIdx.y * 32 - x] = tile[x][k];
}
__global__ void rotate_fixed(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = y; k < 32; k += 8) tile[k][x] = in[(blockIdx.y * 32 + k) * n + blockIdx.x * 32 + x];
  __syncthreads();
  for (int k = y; k < 32; k += 8) out[(blockIdx.x * 32 + k) * n + n - 1 - blockIdx.y * 32 - x] = tile[x][k];
}

__global__ void ownrows_bad(const float* x, float* y, int turns) {  // each warp works on a row of its own, with barriers of the block
  __shared__ float s[8][33];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  s[w][lane] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < turns; k++) {
    float v = 0.5f * s[w][lane] + 0.5f * s[w][(lane + 1) % 32];
    __syncthreads();
    s[w][lane] = v;
    __syncthreads();
  }
  y[blockIdx.x * 256 + threadIdx.x] = s[w][lane];
}
__global__ void ownrows_fixed(const float* x, float* y, int turns) {
  int lane = threadIdx.x % 32;
  float v = x[blockIdx.x * 256 + threadIdx.x];
  for (int k = 0; k < turns; k++) v = 0.5f * v + 0.5f * __shfl_sync(0xffffffff, v, (lane + 1) % 32);
  y[blockIdx.x * 256 + threadIdx.x] = v;
}

__global__ void __launch_bounds__(1024, 2) taylor_bad(const float* x, float* y, int turns) {  // 40 sums a thread in 32 registers
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sums[40];
#pragma unroll
  for (int j = 0; j < 40; j++) sums[j] = v * j;
  for (int k = 0; k < turns; k++)
#pragma unroll
    for (int j = 0; j < 40; j++) sums[j] = sums[j] * v + sums[(j + 1) % 40];
  float all = 0;
#pragma unroll
  for (int j = 0; j < 40; j++) all += sums[j];
  y[i] = all;
}
__global__ void taylor_fixed(const float* x, float* y, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sums[40];
#pragma unroll
  for (int j = 0; j < 40; j++) sums[j] = v * j;
  for (int k = 0; k < turns; k++)
#pragma unroll
    for (int j = 0; j < 40; j++) sums[j] = sums[j] * v + sums[(j + 1) % 40];
  float all = 0;
#pragma unroll
  for (int j = 0; j < 40; j++) all += sums[j];
  y[i] = all;
}

__global__ void exact_bad(const float* x, float* y, int terms) {  // a polynomial, each step rounded by itself
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], a = 1, b = 2;
  for (int k = 0; k < terms; k++) a = __fadd_rn(__fmul_rn(a, v), 0.5f), b = __fadd_rn(__fmul_rn(b, v), 0.25f);
  y[i] = a + b;
}
__global__ void exact_fixed(const float* x, float* y, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], a = 1, b = 2;
  for (int k = 0; k < terms; k++) a = a * v + 0.5f, b = b * v + 0.25f;
  y[i] = a + b;
}
}
