// Kernels of several fields, as pairs: NAME_bad has one defect and NAME_fixed does not. Sparse matrices, fluids, codecs, databases, finance.
extern "C" {
__global__ void ell_bad(const float* x, const int* k, const float* w, float* y) {  // ELLPACK, a row's 16 entries side by side
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 16; ++j) sum += x[row * 16 + j] * w[k[row * 16 + j] & 4095];
  y[row] = sum;
}
__global__ void ell_fixed(const float* x, const int* k, const float* w, float* y) {  // the same entry of all rows side by side
  const int row = blockIdx.x * blockDim.x + threadIdx.x, rows = gridDim.x * blockDim.x;
  float sum = 0;
  for (int j = 0; j < 16; ++j) sum += x[row + j * rows] * w[k[row + j * rows] & 4095];
  y[row] = sum;
}
__global__ void lbm_bad(const float* x, float* y) {  // lattice Boltzmann, nine densities of a cell side by side
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  float f[9], sum = 0;
  for (int q = 0; q < 9; ++q) sum += f[q] = x[cell * 9 + q];
  for (int q = 0; q < 9; ++q) y[cell * 9 + q] = f[q] + 0.6f * (sum * 0.11f - f[q]);
}
__global__ void lbm_fixed(const float* x, float* y) {  // an array for each direction
  const int cell = blockIdx.x * blockDim.x + threadIdx.x, cells = gridDim.x * blockDim.x;
  float f[9], sum = 0;
  for (int q = 0; q < 9; ++q) sum += f[q] = x[cell + q * cells];
  for (int q = 0; q < 9; ++q) y[cell + q * cells] = f[q] + 0.6f * (sum * 0.11f - f[q]);
}
__global__ void tridiag_bad(const float* x, float* y, int n) {  // Thomas' algorithm, a system a thread, its rows side by side
  const int at = (blockIdx.x * blockDim.x + threadIdx.x) * n;
  float c = 0, d = 0;
  for (int j = 0; j < n; ++j) {
    const float m = __fdividef(1.0f, 4.0f + c);
    d = (x[at + j] - d) * m;
    y[at + j] = d;
    c = -m;
  }
  for (int j = n - 2; j >= 0; --j) y[at + j] = d = y[at + j] + 0.27f * d;
}
__global__ void tridiag_fixed(const float* x, float* y, int n) {  // systems interleaved
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float c = 0, d = 0;
  for (int j = 0; j < n; ++j) {
    const float m = __fdividef(1.0f, 4.0f + c);
    d = (x[at + j * all] - d) * m;
    y[at + j * all] = d;
    c = -m;
  }
  for (int j = n - 2; j >= 0; --j) y[at + j * all] = d = y[at + j * all] + 0.27f * d;
}
__global__ void join_bad(const int* k, const float* x, const float* w, float* y) {  // a hash join probes keys and values of two arrays
  const int id = blockIdx.x * blockDim.x + threadIdx.x, slot = k[id] & 0x7fffff;
  const float key = x[slot], value = x[slot + 0x800000];
  y[id] = key < 0.9f ? value * key : w[0];
}
__global__ void join_fixed(const int* k, const float* x, const float* w, float* y) {  // a key lies beside its value
  const int id = blockIdx.x * blockDim.x + threadIdx.x, slot = k[id] & 0x7fffff;
  const float2 entry = ((const float2*)x)[slot];
  y[id] = entry.x < 0.9f ? entry.y * entry.x : w[0];
}
__global__ void spmm_bad(const int* k, const float* x, const float* w, float* y) {  // sparse times dense: neighbouring threads take rows
  const int row = blockIdx.x * 32 + threadIdx.x, column = threadIdx.y + 8 * blockIdx.y;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += w[j] * x[(k[row * 8 + j] & 0xffff) * 64 + column];
  y[row * 64 + column] = sum;
}
__global__ void spmm_fixed(const int* k, const float* x, const float* w, float* y) {  // neighbouring threads take columns
  const int row = blockIdx.x * 8 + threadIdx.y, column = threadIdx.x + 32 * blockIdx.y;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += w[j] * x[(k[row * 8 + j] & 0xffff) * 64 + column];
  y[row * 64 + column] = sum;
}
__global__ void queens_bad(const float* x, float* y) {  // eight queens by backtracking, rows kept in an array of each thread
  int at[8], row = 0, found = 0, steps = 0;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  at[0] = id & 7;
  int next = 0;
  row = 1;
  while (row > 0 && steps++ < 400) {
    int c = next;
    for (; c < 8; ++c) {
      bool free = true;
      for (int r = 0; r < row; ++r) free &= at[r] != c && at[r] - c != row - r && c - at[r] != row - r;
      if (free) break;
    }
    if (c == 8) { next = at[--row] + 1; continue; }
    if (row == 7) { ++found; next = c + 1; continue; }
    at[row++] = c;
    next = 0;
  }
  y[id] = found + x[id];
}
__global__ void queens_fixed(const float* x, float* y) {  // the rows in one number, four bits each
  unsigned at = 0;
  int row = 0, found = 0, steps = 0;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  at = id & 7;
  int next = 0;
  row = 1;
  while (row > 0 && steps++ < 400) {
    int c = next;
    for (; c < 8; ++c) {
      bool free = true;
      for (int r = 0; r < row; ++r) {
        const int q = at >> 4 * r & 15;
        free &= q != c && q - c != row - r && c - q != row - r;
      }
      if (free) break;
    }
    if (c == 8) { --row; next = (at >> 4 * row & 15) + 1; at &= (1u << 4 * row) - 1; continue; }
    if (row == 7) { ++found; next = c + 1; continue; }
    at |= c << 4 * row++;
    next = 0;
  }
  y[id] = found + x[id];
}
__global__ void dct_bad(const float* x, float* y) {  // a cosine transform of eight values that asks the library for each cosine
  const int id = blockIdx.x * blockDim.x + threadIdx.x, u = id & 7;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += x[(id & ~7) + j] * cosf((2 * j + 1) * u * 0.19634954f);
  y[id] = sum;
}
__global__ void dct_fixed(const float* x, float* y) {  // the quick cosine
  const int id = blockIdx.x * blockDim.x + threadIdx.x, u = id & 7;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += x[(id & ~7) + j] * __cosf((2 * j + 1) * u * 0.19634954f);
  y[id] = sum;
}
__global__ void rle_bad(const int* k, int* i) {  // where runs of bytes begin, a byte a thread
  const unsigned char* in = (const unsigned char*)k;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  ((unsigned char*)i)[id] = id == 0 || in[id] != in[id - 1];
}
__global__ void rle_fixed(const int* k, int* i) {  // sixteen bytes a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 v = ((const uint4*)k)[id];
  const unsigned before = id == 0 ? ~v.x << 24 : (unsigned)k[id * 4 - 1];
  uint4 o;
  o.x = __vsetne4(v.x, v.x << 8 | before >> 24);
  o.y = __vsetne4(v.y, v.y << 8 | v.x >> 24);
  o.z = __vsetne4(v.z, v.z << 8 | v.y >> 24);
  o.w = __vsetne4(v.w, v.w << 8 | v.z >> 24);
  ((uint4*)i)[id] = o;
}
__global__ void deconv_bad(const float* x, float* y, int side) {  // a transposed convolution: each input adds to nine outputs
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  const float v = x[r * side + c];
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) atomicAdd(&y[(r + a) * (side + 2) + c + b], v * (a + b));
}
__global__ void deconv_fixed(const float* x, float* y, int side) {  // each output gathers its nine inputs
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) sum += r >= a && c >= b ? x[(r - a) * side + c - b] * (a + b) : 0.0f;
  y[r * (side + 2) + c] += sum;
}
__global__ void fp8_bad(const float* x, int* i) {  // to eight bits with a scale, one element a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  ((signed char*)i)[id] = (signed char)__float2int_rn(x[id] * 127.0f);
}
__global__ void fp8_fixed(const float* x, int* i) {  // sixteen elements a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned o[4];
  for (int j = 0; j < 4; ++j) {
    const float4 v = ((const float4*)x)[id * 4 + j];
    o[j] = (__float2int_rn(v.x * 127.0f) & 255) | (__float2int_rn(v.y * 127.0f) & 255) << 8 | (__float2int_rn(v.z * 127.0f) & 255) << 16 |
           __float2int_rn(v.w * 127.0f) << 24;
  }
  ((uint4*)i)[id] = make_uint4(o[0], o[1], o[2], o[3]);
}
__global__ void crossent_bad(const float* x, const int* k, float* y) {  // a row of logits a block: largest and sum by trees in shared memory
  __shared__ float part[256];
  const float* row = x + blockIdx.x * 1024;
  float v[4], top = -1e30f, sum = 0;
  for (int j = 0; j < 4; ++j) top = fmaxf(top, v[j] = row[threadIdx.x + 256 * j]);
  part[threadIdx.x] = top;
  for (int half = 128; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
  }
  __syncthreads();
  top = part[0];
  __syncthreads();
  for (int j = 0; j < 4; ++j) sum += __expf(v[j] - top);
  part[threadIdx.x] = sum;
  for (int half = 128; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = __logf(part[0]) + top - row[k[blockIdx.x] & 1023];
}
__global__ void crossent_fixed(const float* x, const int* k, float* y) {  // warps shuffle, and one barrier joins them
  __shared__ float2 part[8];
  const float* row = x + blockIdx.x * 1024;
  float v[4], top = -1e30f, sum = 0;
  for (int j = 0; j < 4; ++j) top = fmaxf(top, v[j] = row[threadIdx.x + 256 * j]);
  for (int m = 16; m; m /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, m));
  for (int j = 0; j < 4; ++j) sum += __expf(v[j] - top);
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(top, sum);
  __syncthreads();
  if (threadIdx.x < 8) {
    const float2 p = part[threadIdx.x];
    float all = p.x, total = p.y;
    for (int m = 4; m; m /= 2) all = fmaxf(all, __shfl_xor_sync(0xff, all, m));
    total *= __expf(p.x - all);
    for (int m = 4; m; m /= 2) total += __shfl_xor_sync(0xff, total, m);
    if (threadIdx.x == 0) y[blockIdx.x] = __logf(total) + all - row[k[blockIdx.x] & 1023];
  }
}
__global__ void voxel_bad(const float* x, float* y, int nx, int ny) {  // turns slices upside down: three indices from one, by divisions
  const int id = blockIdx.x * blockDim.x + threadIdx.x, c = id % nx, r = id / nx % ny, z = id / nx / ny;
  y[(z * ny + ny - 1 - r) * nx + c] = x[id] + 1;
}
__global__ void voxel_fixed(const float* x, float* y, int nx, int ny) {  // from the grid
  const int c = threadIdx.x + blockIdx.x * blockDim.x, r = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  y[(z * ny + ny - 1 - r) * nx + c] = x[(z * ny + r) * nx + c] + 1;
}
__global__ void asian_bad(const float* x, float* y, int steps) {  // a path of prices, whose literals are doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = id * 2654435761u + 1;
  float price = x[id] + 1, mean = 0;
  for (int j = 0; j < steps; ++j) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    price = price * (1.0 + 0.01 * ((int)state * 4.6566e-10));
    mean += price;
  }
  y[id] = mean / steps;
}
__global__ void asian_fixed(const float* x, float* y, int steps) {  // floats
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = id * 2654435761u + 1;
  float price = x[id] + 1, mean = 0;
  for (int j = 0; j < steps; ++j) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    price = price * (1.0f + 0.01f * ((int)state * 4.6566e-10f));
    mean += price;
  }
  y[id] = mean / steps;
}
__global__ void radix_bad(const int* k, unsigned* h) {  // digits of four bits counted by all warps of a block in one table
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int j = 0; j < 16; ++j) atomicAdd(&bins[k[(blockIdx.x * 16 + j) * blockDim.x + threadIdx.x] >> 20 & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&h[threadIdx.x], bins[threadIdx.x]);
}
__global__ void radix_fixed(const int* k, unsigned* h) {  // each lane has a table of its own, in its own bank
  __shared__ unsigned bins[16 * 256];
  for (int b = 0; b < 16; ++b) bins[b * 256 + threadIdx.x] = 0;
  for (int j = 0; j < 16; ++j) ++bins[(k[(blockIdx.x * 16 + j) * blockDim.x + threadIdx.x] >> 20 & 15) * 256 + threadIdx.x];
  __syncthreads();
  const int bin = threadIdx.x / 16;
  unsigned sum = 0;
  for (int j = 0; j < 16; ++j) sum += bins[bin * 256 + (threadIdx.x % 16) * 16 + ((j + threadIdx.x) & 15)];
  for (int m = 8; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 16 == 0) atomicAdd(&h[bin], sum);
}
__global__ void edt_bad(const float* x, float* y, int side) {  // distances along a row, one result a thread
  const float* row = x + blockIdx.y * side;
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f;
  for (int j = 0; j < side; ++j) best = fminf(best, row[j] + (float)((at - j) * (at - j)));
  y[blockIdx.y * side + at] = best;
}
__global__ void edt_fixed(const float* x, float* y, int side) {  // four results a thread for each load
  const float* row = x + blockIdx.y * side;
  const int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
  for (int j = 0; j < side; ++j) {
    const float v = row[j];
    for (int q = 0; q < 4; ++q) best[q] = fminf(best[q], v + (float)((at + q - j) * (at + q - j)));
  }
  ((float4*)(y + blockIdx.y * side))[at / 4] = make_float4(best[0], best[1], best[2], best[3]);
}
__global__ void align_bad(const int* k, int* i) {  // alignment of two texts of 256, a diagonal a barrier
  __shared__ int rows[3][257];
  __shared__ int text[256];
  const int t = threadIdx.x, mine = k[blockIdx.x * 512 + t] & 3;
  text[t] = k[blockIdx.x * 512 + 256 + t] & 3;
  for (int r = 0; r < 3; ++r) rows[r][t + 1] = 0, rows[r][0] = 0;
  __syncthreads();
  for (int d = 0; d < 511; ++d) {
    const int column = d - t, now = d % 3, one = (d + 2) % 3, two = (d + 1) % 3;
    if (column >= 0 && column < 256)
      rows[now][t + 1] = max(max(rows[one][t + 1], rows[one][t]) - 1, rows[two][t] + (text[column] == mine ? 2 : -1));
    __syncthreads();
  }
  i[blockIdx.x * 256 + t] = rows[510 % 3][t + 1];
}
__global__ void align_fixed(const int* k, int* i) {  // a warp aligns by itself: each lane has eight rows and hands its last to the next
  const int lane = threadIdx.x & 31, pair = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  __shared__ int text[8][256];
  int mine[8], left[8], corner = 0;
  for (int q = 0; q < 8; ++q) {
    mine[q] = k[pair * 512 + lane * 8 + q] & 3;
    left[q] = 0;
    text[threadIdx.x / 32][q * 32 + lane] = k[pair * 512 + 256 + q * 32 + lane] & 3;
  }
  __syncwarp();
  for (int d = 0; d < 256 + 31; ++d) {
    const int column = d - lane;
    int up = __shfl_up_sync(~0u, left[7], 1);
    if (lane == 0) up = 0;
    if (column >= 0 && column < 256) {
      const int letter = text[threadIdx.x / 32][column];
      int diagonal = corner;
      corner = up;
      for (int q = 0; q < 8; ++q) {
        const int best = max(max(left[q], up) - 1, diagonal + (letter == mine[q] ? 2 : -1));
        diagonal = left[q];
        left[q] = up = best;
      }
    }
  }
  for (int q = 0; q < 8; ++q) i[pair * 256 + lane * 8 + q] = left[q];
}
}
