// Planted defects: races between threads of a block, in shared and global memory.
//@ no_barrier<int> block=64 : race
//@ no_barrier<char> block=64 : race
//@ no_barrier<short> block=64 : race
//@ no_barrier<double> block=64 : race
//@ no_barrier<float> block=1024 n=1024 : race
template <typename T>
__global__ void no_barrier(int* x, int* y, int n) {
  __shared__ T s[1024];
  s[threadIdx.x] = T(x[threadIdx.x] + 1);  //!
  y[threadIdx.x] = static_cast<int>(s[(threadIdx.x + 33) % blockDim.x]);  //!
}

//@ reversed block=128 : race
__global__ void reversed(int* x, int* y, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];  //!
  y[threadIdx.x] = s[127 - threadIdx.x];  //!
}

//@ tree_without_barrier block=128 : race
__global__ void tree_without_barrier(int* x, int* y, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 64; k; k >>= 1)
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];  //!
  __syncthreads();
  if (threadIdx.x == 0) y[0] = s[0];
}

//@ scan_one_barrier block=128 : race
__global__ void scan_one_barrier(int* x, int* y, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 1; k < 128; k *= 2) {
    int left = threadIdx.x >= k ? s[threadIdx.x - k] : 0;  //!
    s[threadIdx.x] += left;  //!
    __syncthreads();
  }
  y[threadIdx.x] = s[threadIdx.x];
}

//@ tile_reused block=64 : race
__global__ void tile_reused(int* x, int* y, int n) {
  __shared__ int s[64];
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    s[threadIdx.x] = x[k * 64 + threadIdx.x];  //!
    __syncthreads();
    sum += s[63 - threadIdx.x];  //!
  }
  y[threadIdx.x] = sum;
}

//@ histogram_plain block=64 : race
__global__ void histogram_plain(int* x, int* y, int n) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[x[threadIdx.x] & 7]++;  //!
  __syncthreads();
  if (threadIdx.x < 8) y[threadIdx.x] = bins[threadIdx.x];
}

//@ counter_reset_late block=64 : race
__global__ void counter_reset_late(int* x, int* y, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;  //!
  atomicAdd(&count, 1);  //!
  __syncthreads();
  if (threadIdx.x == 0) y[0] = count;
}

//@ counter_read_early block=64 : race
__global__ void counter_read_early(int* x, int* y, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);  //!
  if (threadIdx.x == 0) y[0] = count;  //!
}

//@ broadcast_without_barrier block=96 : race
__global__ void broadcast_without_barrier(int* x, int* y, int n) {
  __shared__ int value;
  if (threadIdx.x == 40) value = x[7];  //!
  y[threadIdx.x] = value;  //!
}

//@ broadcast_overwritten block=64 : race
__global__ void broadcast_overwritten(int* x, int* y, int n) {
  __shared__ int value;
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    if (threadIdx.x == 0) value = x[k];  //!
    __syncthreads();
    sum += value;  //!
  }
  y[threadIdx.x] = sum;
}

//@ last_writer_wins block=64 : race
__global__ void last_writer_wins(int* x, int* y, int n) {
  __shared__ int who;
  who = threadIdx.x;  //!
  __syncthreads();
  y[threadIdx.x] = who;
}

//@ vector_over_scalars block=64 : race
__global__ void vector_over_scalars(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  s[threadIdx.x] = x[threadIdx.x] + 1;  //!
  if (threadIdx.x < 16) {
    int4 v = *reinterpret_cast<int4*>(&s[threadIdx.x * 4]);  //!
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
  }
}

//@ bytes_of_a_word block=64 : race
__global__ void bytes_of_a_word(int* x, int* y, int n) {
  __shared__ __align__(4) unsigned char s[256];
  reinterpret_cast<int*>(s)[threadIdx.x] = x[threadIdx.x] + 1;  //!
  s[(threadIdx.x * 4 + 130) % 256] = 9;  //!
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

//@ halo_before_barrier block=64 : race
__global__ void halo_before_barrier(int* x, int* y, int n) {
  __shared__ int s[66];
  s[threadIdx.x + 1] = x[threadIdx.x];
  if (threadIdx.x == 0) s[0] = 0;
  __syncthreads();
  if (threadIdx.x == 10) s[65] = 5;  //!
  y[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2];  //!
}

//@ transpose_unsynchronised block=256 : race
__global__ void transpose_unsynchronised(int* x, int* y, int n) {
  __shared__ int t[16][17];
  int row = threadIdx.x / 16, column = threadIdx.x % 16;
  t[row][column] = x[threadIdx.x];  //!
  y[threadIdx.x] = t[column][row];  //!
}

//@ global_neighbour block=64 : race
__global__ void global_neighbour(int* x, int* y, int n) {
  y[threadIdx.x] = x[threadIdx.x] + 1;  //!
  if (threadIdx.x < 63) x[threadIdx.x] = y[threadIdx.x + 1];  //!
}

//@ global_in_place block=128 : race
__global__ void global_in_place(int* x, int* y, int n) {
  int left = threadIdx.x ? y[threadIdx.x - 1] : 0;  //!
  y[threadIdx.x] = x[threadIdx.x] + left + 1;  //!
}

//@ bitonic_step_missing block=64 : race
__global__ void bitonic_step_missing(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[63 - threadIdx.x];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j; j /= 2) {
      int other = threadIdx.x ^ j;
      if (other > threadIdx.x && (s[threadIdx.x] > s[other]) == ((threadIdx.x & k) == 0)) {  //!
        int swap = s[threadIdx.x];  //!
        s[threadIdx.x] = s[other];  //!
        s[other] = swap;  //!
      }
      if (j != 32) __syncthreads();
    }
  y[threadIdx.x] = s[threadIdx.x];
}

//@ wrong_named_barrier block=128 : race
__global__ void wrong_named_barrier(int* x, int* y, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];  //!
  int half = threadIdx.x / 64;
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  y[threadIdx.x] = s[127 - threadIdx.x];  //!
}

//@ syncwarp_for_a_block block=64 : race
__global__ void syncwarp_for_a_block(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];  //!
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x ^ 32];  //!
}

//@ fence_is_no_barrier block=64 : race
__global__ void fence_is_no_barrier(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];  //!
  __threadfence_block();
  y[threadIdx.x] = s[63 - threadIdx.x];  //!
}

//@ zeros_over_zeros block=64 : race
__global__ void zeros_over_zeros(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  int before = s[63 - threadIdx.x];  //!
  s[threadIdx.x] = y[threadIdx.x];  //!
  x[threadIdx.x] = before;
}

//@ flag_without_fence block=64 : race
__global__ void flag_without_fence(int* x, int* y, int n) {
  __shared__ int data;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = x[5];  //!
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (!ready) {}
    y[0] = data;  //!
  }
}
