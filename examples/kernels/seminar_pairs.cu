// What seminars teach of sums, sorting, graphs, chance and launches, as pairs: NAME_bad before the lesson and NAME_fixed after it.
template <int N>
static __device__ void power_sums(const float* x, float* y, int count) {  // sums of N powers, all in registers
  const int id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum[N] = {};
  for (int k = 0; k < count; ++k) {
    const float v = x[id + k * step];
    float p = v;
#pragma unroll
    for (int q = 0; q < N; ++q) {
      sum[q] += p;
      p *= v;
    }
  }
  float all = 0;
#pragma unroll
  for (int q = 0; q < N; ++q) all += sum[q] * (q + 1);
  y[id] = all;
}
extern "C" {
// Sums.
static __device__ int kept(int k, int apart) { return apart ? k + (k >> 5) : k; }
static __device__ void blelloch(const float* x, float* y, int apart) {  // 1,024 numbers a block: up the tree and down again
  __shared__ float t[1024 + 32];
  const int id = threadIdx.x, first = blockIdx.x * 1024;
  t[kept(id, apart)] = x[first + id];
  t[kept(id + 512, apart)] = x[first + id + 512];
  int offset = 1;
  for (int d = 512; d > 0; d >>= 1) {
    __syncthreads();
    if (id < d) t[kept(offset * (2 * id + 2) - 1, apart)] += t[kept(offset * (2 * id + 1) - 1, apart)];
    offset *= 2;
  }
  if (id == 0) t[kept(1023, apart)] = 0;
  for (int d = 1; d < 1024; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (id < d) {
      const int a = kept(offset * (2 * id + 1) - 1, apart), b = kept(offset * (2 * id + 2) - 1, apart);
      const float v = t[a];
      t[a] = t[b];
      t[b] += v;
    }
  }
  __syncthreads();
  y[first + id] = t[kept(id, apart)];
  y[first + id + 512] = t[kept(id + 512, apart)];
}
__global__ void blelloch_bad(const float* x, float* y) { blelloch(x, y, 0); }
__global__ void blelloch_fixed(const float* x, float* y) { blelloch(x, y, 1); }  // a word left out after 32
__global__ void rownorm_bad(const float* x, float* o, int n, int width) {  // every thread adds its square to its row's sum
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) atomicAdd(&o[id / width & 4095], x[id] * x[id]);
}
__global__ void rownorm_fixed(const float* x, float* o, int n, int width) {  // a warp adds once; rows are multiples of 32
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = x[id] * x[id];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  if (threadIdx.x % 32 == 0) atomicAdd(&o[id / width & 4095], sum);
}
__global__ void columns_bad(const float* x, const float* w, float* o, int width, int rows) {  // a matrix's transpose times a vector, a thread a column
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += x[r * width + c] * w[r];
  o[c] = sum;
}
__global__ void columns_fixed(const float* x, const float* w, float* o, int width, int rows) {  // rows dealt out to more blocks
  const int c = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * rows;
  float sum = 0;
  for (int r = first; r < first + rows; ++r) sum += x[r * width + c] * w[r];
  atomicAdd(&o[c], sum);
}
__global__ void kahan_bad(const float* x, float* y, int count) {  // sums with what rounding lost, a chain a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0, lost = 0;
  for (int k = 0; k < count; ++k) {
    const float v = x[id + k * step] - lost, t = sum + v;
    lost = (t - sum) - v;
    sum = t;
  }
  y[id] = sum;
}
__global__ void kahan_fixed(const float* x, float* y, int count) {  // four chains
  const int id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum[4] = {}, lost[4] = {};
  for (int k = 0; k < count; k += 4)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float v = x[id + (k + c) * step] - lost[c], t = sum[c] + v;
      lost[c] = (t - sum[c]) - v;
      sum[c] = t;
    }
  y[id] = sum[0] + sum[1] + sum[2] + sum[3];
}
__global__ void smoothing_bad(const float* x, const float* w, float* y, int n) {  // seventeen weights in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = 0;
  for (int k = 0; k < 17; ++k) sum += w[k] * x[id + k];
  y[id] = sum;
}
__constant__ float weights[17];
__global__ void smoothing_fixed(const float* x, const float* w, float* y, int n) {  // in constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n || !w) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 17; ++k) sum += weights[k] * x[id + k];
  y[id] = sum;
}
__global__ void degree_bad(const float* x, const float* w, float* y, int degree) {  // a polynomial of a degree told when launched
  extern __shared__ float c[];
  for (int k = threadIdx.x; k < degree; k += blockDim.x) c[k] = w[k];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < degree; ++k) sum = sum * v + c[k];
  y[id] = sum;
}
__global__ void degree_fixed(const float* x, const float* w, float* y, int degree) {  // told when compiled
  __shared__ float c[32];
  if (threadIdx.x < 32) c[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = degree < 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum = sum * v + c[k];
  y[id] = sum;
}

// Sorting and searching.
__global__ void sort32_bad(const float* x, float* y) {  // 32 numbers a warp, in shared memory with barriers of the block
  __shared__ float t[256];
  const int id = threadIdx.x, at = blockIdx.x * 256 + id;
  t[id] = x[at];
  __syncthreads();
  for (int size = 2; size <= 32; size *= 2)
    for (int s = size / 2; s > 0; s /= 2) {
      const float own = t[id], other = t[id ^ s];
      const bool up = (id & size) == 0 || size == 32, low = (id & s) == 0;
      __syncthreads();
      t[id] = up == low ? fminf(own, other) : fmaxf(own, other);
      __syncthreads();
    }
  y[at] = t[id];
}
__global__ void sort32_fixed(const float* x, float* y) {  // by shuffles
  const int id = threadIdx.x, at = blockIdx.x * 256 + id;
  float own = x[at];
#pragma unroll
  for (int size = 2; size <= 32; size *= 2)
#pragma unroll
    for (int s = size / 2; s > 0; s /= 2) {
      const float other = __shfl_xor_sync(~0u, own, s);
      const bool up = (id & size) == 0 || size == 32, low = (id & s) == 0;
      own = up == low ? fminf(own, other) : fmaxf(own, other);
    }
  y[at] = own;
}
static __device__ int letter(int k) { return k * 37 + 11 & 15; }
__global__ void motif_bad(const int* k, float* y, int n) {  // how many of sixteen letters agree, at every place of a text
  const unsigned char* text = (const unsigned char*)k;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  int same = 0;
#pragma unroll
  for (int c = 0; c < 16; ++c) same += (text[id + c] & 15) == letter(c);
  y[id] = same;
}
__global__ void motif_fixed(const int* k, float* y, int n) {  // five words in registers serve four places
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * id >= n) return;
  unsigned word[5];
#pragma unroll
  for (int c = 0; c < 5; ++c) word[c] = k[id + c];
  int same[4] = {};
#pragma unroll
  for (int p = 0; p < 4; ++p)
#pragma unroll
    for (int c = 0; c < 16; ++c) same[p] += (word[(p + c) / 4] >> 8 * ((p + c) % 4) & 15) == letter(c);
  ((float4*)y)[id] = make_float4(same[0], same[1], same[2], same[3]);
}

// Graphs and particles.
__global__ void ranks_bad(const int* k, const float* w, float* y, int nodes) {  // a node a thread; one in 64 has 256 edges, the others at most 15
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes) return;
  const int edges = (k[v] & 63) == 0 ? 256 : k[v] >> 6 & 15, first = k[v] >> 4;
  float sum = 0;
  for (int e = 0; e < edges; ++e) sum += w[k[first + e] & 4095];
  y[v] = 0.15f + 0.85f * sum;
}
__global__ void ranks_fixed(const int* k, const float* w, float* y, int nodes) {  // eight threads a node
  const int id = blockIdx.x * blockDim.x + threadIdx.x, v = id / 8;
  if (v >= nodes) return;
  const int edges = (k[v] & 63) == 0 ? 256 : k[v] >> 6 & 15, first = k[v] >> 4;
  float sum = 0;
  for (int e = id % 8; e < edges; e += 8) sum += w[k[first + e] & 4095];
  for (int s = 4; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  if (id % 8 == 0) y[v] = 0.15f + 0.85f * sum;
}
__global__ void movers_bad(const float* x, float* y, int n) {  // two of sixteen numbers of a particle
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = x[16 * id] + 0.01f * x[16 * id + 8];
}
__global__ void movers_fixed(const float* x, float* y, int n) {  // places and speeds apart
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = x[id] + 0.01f * x[n + id];
}

// Chance.
static __device__ float uniform(unsigned& s) { return ((s = s * 1664525u + 1013904223u) >> 8) / 16777216.0f; }
__global__ void normals_bad(const int* k, float* y, int count) {  // Marsaglia's way: again until inside the circle
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = k[id];
  float sum = 0;
  for (int c = 0; c < count; ++c) {
    float u, v, r;
    do {
      u = 2 * uniform(s) - 1;
      v = 2 * uniform(s) - 1;
      r = u * u + v * v;
    } while (r >= 1 || r == 0);
    const float f = sqrtf(-2 * __logf(r) / r);
    sum += fmaxf(u * f, 0.0f) + fmaxf(v * f, 0.0f);
  }
  y[id] = sum;
}
__global__ void normals_fixed(const int* k, float* y, int count) {  // Box and Muller's: always two
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = k[id];
  float sum = 0;
  for (int c = 0; c < count; ++c) {
    const float f = sqrtf(-2 * __logf(uniform(s) + 1e-7f)), angle = 6.2831853f * uniform(s);
    sum += fmaxf(f * __cosf(angle), 0.0f) + fmaxf(f * __sinf(angle), 0.0f);
  }
  y[id] = sum;
}

// Launches.
__global__ void __launch_bounds__(512, 4) powers_bad(const float* x, float* y, int count) { power_sums<40>(x, y, count); }
__global__ void __launch_bounds__(512) powers_fixed(const float* x, float* y, int count) { power_sums<40>(x, y, count); }
static __device__ void walk(const int* k, float* y, int steps) {  // from place to place of a table, beside a table of one's own in shared memory
  extern __shared__ float own[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = id;
  __syncthreads();
  int at = id;
  for (int s = 0; s < steps; ++s) at = k[at] & (1 << 20) - 1;
  y[id] = at + own[threadIdx.x ^ 1];
}
__global__ void walks_bad(const int* k, float* y, int steps) { walk(k, y, steps); }
__global__ void walks_fixed(const int* k, float* y, int steps) { walk(k, y, steps); }  // with no more shared memory than is used
__global__ void late_bad(const float* x, float* y, int steps) {  // a few blocks more than fit at once
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int s = 0; s < steps; ++s) v = v * v * 0.5f + 0.25f;
  y[id] = v;
}
__global__ void late_fixed(const float* x, float* y, int steps) {  // in smaller blocks
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int s = 0; s < steps; ++s) v = v * v * 0.5f + 0.25f;
  y[id] = v;
}
}
