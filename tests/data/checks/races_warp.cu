// Planted defects: races between threads of one warp, which do not run in lockstep.
//@ neighbour<int> : race
//@ neighbour<char> : race
//@ neighbour<short> : race
//@ neighbour<double> : race
template <typename T>
__global__ void neighbour(int* x, int* y, int n) {
  __shared__ T s[32];
  s[threadIdx.x] = T(x[threadIdx.x] + 1);  //!
  y[threadIdx.x] = static_cast<int>(s[threadIdx.x ^ 1]);  //!
}

//@ tree<1> : race
//@ tree<2> : race
//@ tree<4> : race
template <int kLast>
__global__ void tree(int* x, int* y, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  for (int k = 16; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];  //!
    if (k > 2 * kLast) __syncwarp();
  }
  if (threadIdx.x == 0) y[0] = s[0];
}

//@ old_unrolled block=64 : race
__global__ void old_unrolled(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    s[threadIdx.x] += s[threadIdx.x + 32];  //!
    s[threadIdx.x] += s[threadIdx.x + 16];  //!
    s[threadIdx.x] += s[threadIdx.x + 8];  //!
  }
  __syncthreads();
  if (threadIdx.x == 0) y[0] = s[0];
}

//@ broadcast : race
__global__ void broadcast(int* x, int* y, int n) {
  __shared__ int value;
  if (threadIdx.x == 3) value = x[9];  //!
  y[threadIdx.x] = value;  //!
}

//@ write_after_read : race
__global__ void write_after_read(int* x, int* y, int n) {
  __shared__ int s[32];
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    s[threadIdx.x] = x[threadIdx.x + k];  //!
    __syncwarp();
    sum += s[31 - threadIdx.x];  //!
  }
  y[threadIdx.x] = sum;
}

//@ shuffle_orders_nothing : race
__global__ void shuffle_orders_nothing(int* x, int* y, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x] + 1;  //!
  int other = __shfl_xor_sync(0xffffffff, static_cast<int>(threadIdx.x), 3);
  y[threadIdx.x] = s[other];  //!
}

//@ vote_orders_nothing : race
__global__ void vote_orders_nothing(int* x, int* y, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x] + 1;  //!
  if (__any_sync(0xffffffff, threadIdx.x > 100)) return;
  y[threadIdx.x] = s[(threadIdx.x + 5) & 31];  //!
}

//@ half_synced : race
__global__ void half_synced(int* x, int* y, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];  //!
  __syncwarp(threadIdx.x < 16 ? 0x0000ffff : 0xffff0000);
  y[threadIdx.x] = s[31 - threadIdx.x];  //!
}

//@ same_place : race
__global__ void same_place(int* x, int* y, int n) {
  __shared__ int s[8];
  s[threadIdx.x / 4] = x[threadIdx.x];  //!
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x / 4];
}

//@ global_exchange : race
__global__ void global_exchange(int* x, int* y, int n) {
  y[threadIdx.x] = x[threadIdx.x] + 1;  //!
  x[threadIdx.x] = y[31 - threadIdx.x];  //!
}

//@ sides_of_a_branch : race
__global__ void sides_of_a_branch(int* x, int* y, int n) {
  __shared__ int s[32];
  if (threadIdx.x < 16) s[threadIdx.x] = x[threadIdx.x] + 1;  //!
  else y[threadIdx.x] = s[threadIdx.x - 16];  //!
}

//@ vector_and_scalar : race
__global__ void vector_and_scalar(int* x, int* y, int n) {
  __shared__ __align__(16) int s[128];
  reinterpret_cast<int4*>(s)[threadIdx.x] = reinterpret_cast<int4*>(x)[threadIdx.x];  //!
  y[threadIdx.x] = s[threadIdx.x];  //!
}

//@ atomic_and_plain : race
__global__ void atomic_and_plain(int* x, int* y, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncwarp();
  atomicAdd(&count, x[threadIdx.x]);  //!
  y[threadIdx.x] = count;  //!
}

//@ append_without_atomics : race
__global__ void append_without_atomics(int* x, int* y, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncwarp();
  if (x[threadIdx.x] & 1) y[count++] = x[threadIdx.x];  //!
}

//@ prefix_in_place : race
__global__ void prefix_in_place(int* x, int* y, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];  //!
  for (int k = 1; k < 32; k *= 2)
    if (threadIdx.x >= k) s[threadIdx.x] += s[threadIdx.x - k];  //!
  y[threadIdx.x] = s[threadIdx.x];
}

//@ matrix_rows : race
__global__ void matrix_rows(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  s[threadIdx.x] = x[threadIdx.x];  //!
  int a;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&s[threadIdx.x % 8 * 4]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at) : "memory");  //!
  y[threadIdx.x] = a;
}
