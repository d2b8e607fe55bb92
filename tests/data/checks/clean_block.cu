// Threads of a block that share memory, barriers and their own arrays without defects: nothing may be found.

//@ copies<char> block=64 dtype=i8 : clean
//@ copies<double> block=64 dtype=f64 : clean
//@ copies<int> grid=4 block=64 y=none : clean
template <typename T>
__global__ void copies(T* x, T* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

//@ early_return grid=3 block=96 n=256 : clean
__global__ void early_return(int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + 1;
}

//@ block_uniform_return grid=4 block=64 n=128 : clean
__global__ void block_uniform_return(int* x, int* y, int n) {
  __shared__ int s[64];
  if (blockIdx.x * 64 >= n) return;
  s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

//@ tree<128> block=128 : clean
//@ tree<256> block=256 : clean
template <int kThreads>
__global__ void tree(int* x, int* y, int n) {
  __shared__ int s[kThreads];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = kThreads / 2; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[0] = s[0];
}

//@ scan block=128 : clean
__global__ void scan(int* x, int* y, int n) {
  __shared__ int s[2][128];
  int at = 0;
  s[0][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 1; k < 128; k *= 2) {
    s[1 - at][threadIdx.x] = s[at][threadIdx.x] + (threadIdx.x >= k ? s[at][threadIdx.x - k] : 0);
    at = 1 - at;
    __syncthreads();
  }
  y[threadIdx.x] = s[at][threadIdx.x];
}

//@ histogram grid=4 block=64 : clean
__global__ void histogram(int* x, int* y, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[x[blockIdx.x * 64 + threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
}

//@ old_volatile block=64 : clean
__global__ void old_volatile(int* x, int* y, int n) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32)
    for (int k = 32; k; k >>= 1) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + (threadIdx.x < k ? k : 0)];
  __syncthreads();
  if (threadIdx.x == 0) y[0] = s[0];
}

//@ flag_in_the_block block=64 : clean
__global__ void flag_in_the_block(int* x, int* y, int n) {
  __shared__ int data;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = x[5];
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (!ready) {}
    __threadfence_block();
    y[0] = data;
  }
}

//@ named_barriers block=128 : clean
__global__ void named_barriers(int* x, int* y, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];
  asm volatile("bar.sync %0, 64;" ::"r"(threadIdx.x / 64 + 1) : "memory");
  y[threadIdx.x] = s[threadIdx.x ^ 32];
}

//@ producer_consumer block=64 : clean
__global__ void producer_consumer(int* x, int* y, int n) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x < 32) {
      if (k) asm volatile("bar.sync 2, 64;" ::: "memory");
      s[lane] = x[k * 32 + lane];
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      y[k * 32 + lane] = s[31 - lane];
      if (k < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}

//@ barrier_in_a_loop block=96 : clean
__global__ void barrier_in_a_loop(int* x, int* y, int n) {
  __shared__ int s[96];
  int v = x[threadIdx.x];
  for (int k = 0; k < 5; ++k) {
    s[threadIdx.x] = v;
    __syncthreads();
    v = s[(threadIdx.x + 7) % 96];
    __syncthreads();
  }
  y[threadIdx.x] = v;
}

//@ tiled_transpose block=256 : clean
__global__ void tiled_transpose(int* x, int* y, int n) {
  __shared__ int t[16][17];
  int row = threadIdx.x / 16, column = threadIdx.x % 16;
  t[row][column] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = t[column][row];
}

//@ bytes_of_words block=64 : clean
__global__ void bytes_of_words(int* x, int* y, int n) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  reinterpret_cast<unsigned char*>(y)[threadIdx.x] = s[63 - threadIdx.x];
}

//@ vectors block=32 : clean
__global__ void vectors(int* x, int* y, int n) {
  __shared__ __align__(16) int s[128];
  reinterpret_cast<int4*>(s)[threadIdx.x] = reinterpret_cast<int4*>(x)[threadIdx.x];
  __syncwarp();
  reinterpret_cast<int2*>(y)[threadIdx.x] = reinterpret_cast<int2*>(s)[63 - threadIdx.x];
}

//@ local_array block=32 : clean
__global__ void local_array(int* x, int* y, int n) {
  int a[16];
  for (int k = 0; k < 16; ++k) a[k] = x[k] * threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[x[threadIdx.x + k] & 15];
  y[threadIdx.x] = sum;
}

//@ heap block=8 : clean
__global__ void heap(int* x, int* y, int n) {
  int* p = static_cast<int*>(malloc(64));
  for (int k = 0; k < 16; ++k) p[k] = x[k];
  y[threadIdx.x] = p[x[threadIdx.x] & 15];
  free(p);
}
