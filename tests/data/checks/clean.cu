// Kernels without defects, in which nothing may be found.
#include <cooperative_groups.h>

#include "async.h"

constexpr unsigned kAll = 0xffffffff;
__device__ int done_count, lock_word, queue_head, generation;

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

//@ tree_of_a_warp : clean
__global__ void tree_of_a_warp(int* x, int* y, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  for (int k = 16; k; k >>= 1) {
    int other = threadIdx.x < k ? s[threadIdx.x + k] : 0;
    __syncwarp();
    if (threadIdx.x < k) s[threadIdx.x] += other;
    __syncwarp();
  }
  if (threadIdx.x == 0) y[0] = s[0];
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

//@ shuffles block=64 : clean
__global__ void shuffles(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(kAll, v, k);
  unsigned odd = __ballot_sync(kAll, threadIdx.x & 1);
  if (threadIdx.x & 1) v = __shfl_sync(odd, v, 1);
  __syncwarp();
  y[threadIdx.x] = v;
}

//@ half_warps : clean
__global__ void half_warps(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  unsigned mask = threadIdx.x < 16 ? 0xffff : 0xffff0000;
  if (threadIdx.x < 16) v += __shfl_xor_sync(mask, v, 1);
  else v += __shfl_xor_sync(mask, v, 2);
  y[threadIdx.x] = v;
}

//@ active_mask : clean
__global__ void active_mask(int* x, int* y, int n) {
  if (x[threadIdx.x] % 3 == 0) {
    unsigned mask = __match_any_sync(__activemask(), 1);
    int leader = __ffs(mask) - 1, base = 0;
    if (threadIdx.x == leader) base = atomicAdd(&y[0], __popc(mask));
    base = __shfl_sync(mask, base, leader);
    y[1 + base + __popc(mask & ((1u << threadIdx.x) - 1))] = threadIdx.x;
  }
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

//@ ticket grid=8 block=64 n=512 : clean
//@ ticket grid=8 block=64 n=512 schedule=random:3 : clean
//@ ticket grid=8 block=64 n=512 schedule=reversed : clean
__global__ void ticket(int* x, int* y, int n) {
  __shared__ bool last;
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&done_count, 1) % gridDim.x == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    int sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += y[k * 64 + threadIdx.x];
    x[threadIdx.x] = sum;
  }
}

//@ ticket_of_thread_0 grid=8 block=64 : clean
__global__ void ticket_of_thread_0(int* x, int* y, int n) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    y[blockIdx.x] = s;
    __threadfence();
    if (atomicInc(reinterpret_cast<unsigned*>(&y[200]), gridDim.x - 1) == gridDim.x - 1) {
      __threadfence();
      int sum = 0;
      for (int k = 0; k < gridDim.x; ++k) sum += y[k];
      y[201] = sum;
    }
  }
}

//@ flag grid=2 block=64 : clean
__global__ void flag(int* x, int* y, int n) {
  volatile int* ready = y + 200;
  if (blockIdx.x == 0) {
    y[threadIdx.x] = x[threadIdx.x] + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *ready = 1;
  } else {
    if (threadIdx.x == 0)
      while (*ready == 0) {}
    __syncthreads();
    __threadfence();
    x[threadIdx.x] = y[63 - threadIdx.x];
  }
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

//@ release_acquire grid=2 : clean
__global__ void release_acquire(int* x, int* y, int n) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    y[0] = x[3] + 1;
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(y + 64) : "memory");
  } else {
    int seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(y + 64) : "memory");
    while (!seen);
    y[32] = y[0];
  }
}

//@ release_by_atomics grid=4 : clean
__global__ void release_by_atomics(int* x, int* y, int n) {
  if (threadIdx.x) return;
  y[blockIdx.x] = x[blockIdx.x] + 1;
  int before;
  asm volatile("atom.add.acq_rel.gpu.global.s32 %0, [%1], 1;" : "=r"(before) : "l"(y + 64) : "memory");
  if (before == 3) y[65] = y[0] + y[1] + y[2] + y[3];
}

//@ chain grid=4 : clean
__global__ void chain(int* x, int* y, int n) {  // each block passes on what the one before it did
  if (threadIdx.x) return;
  volatile int* state = y + 64;
  int sum = x[blockIdx.x];
  if (blockIdx.x) {
    while (state[blockIdx.x - 1] == 0) {}
    __threadfence();
    for (int k = 0; k < blockIdx.x; ++k) sum += y[k];
  }
  y[blockIdx.x] = sum;
  __threadfence();
  state[blockIdx.x] = 1;
}

//@ spin_lock grid=4 : clean
__global__ void spin_lock(int* x, int* y, int n) {
  if (threadIdx.x) return;
  while (atomicCAS(&lock_word, 0, 1)) {}
  __threadfence();
  y[0] += x[blockIdx.x];
  __threadfence();
  atomicExch(&lock_word, 0);
}

//@ lock_of_a_warp block=32 : clean
__global__ void lock_of_a_warp(int* x, int* y, int n) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&y[100], 0, 1) == 0) {
      __threadfence();
      y[0] += x[threadIdx.x];
      __threadfence();
      atomicExch(&y[100], 0);
      done = true;
    }
  }
}

//@ lock_acquire_release grid=4 : clean
__global__ void lock_acquire_release(int* x, int* y, int n) {
  if (threadIdx.x) return;
  int before;
  do asm volatile("atom.cas.acquire.gpu.global.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(y + 100) : "memory");
  while (before);
  y[0] += x[blockIdx.x] + 1;
  asm volatile("st.release.gpu.global.b32 [%0], 0;" ::"l"(y + 100) : "memory");
}

//@ work_queue grid=4 block=64 n=512 : clean
__global__ void work_queue(int* x, int* y, int n) {
  __shared__ int item;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(&queue_head, 1);
    __syncthreads();
    int mine = item;
    __syncthreads();
    if (mine >= 8) return;
    y[mine * 64 + threadIdx.x] = x[mine * 64 + threadIdx.x];
  }
}

//@ append grid=4 block=64 : clean
__global__ void append(int* x, int* y, int n) {
  int v = x[blockIdx.x * 64 + threadIdx.x];
  if (v % 5 == 0) y[1 + atomicAdd(&y[0], 1)] = v;
}

//@ same_value grid=4 block=64 : clean
__global__ void same_value(int* x, int* y, int n) {
  if (x[threadIdx.x] % 2) y[0] = 1;
}

//@ grid_barrier grid=4 block=64 coop : clean
__global__ void grid_barrier(int* x, int* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  y[i] = x[i] + 1;
  cooperative_groups::this_grid().sync();
  x[i] = y[(i + 64) % n];
  cooperative_groups::this_grid().sync();
  y[i] = x[n - 1 - i];
}

//@ grid_barrier_by_hand grid=4 block=64 : clean
__global__ void grid_barrier_by_hand(int* x, int* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  x[i] = i + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&generation, 1);
    while (*static_cast<volatile int*>(&generation) % gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  y[i] = x[(i + 64) % n];
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

//@ pipeline<2> block=64 n=512 : clean
//@ pipeline<3> block=64 n=512 : clean
//@ pipeline<4> block=64 n=512 : clean
template <int kStages>
__global__ void pipeline(int* x, int* y, int n) {
  __shared__ int s[kStages][64];
  int sum = 0;
  for (int k = 0; k < kStages - 1; ++k) {
    COPY_ASYNC(4, &s[k][threadIdx.x], x + k * 64 + threadIdx.x);
    COMMIT();
  }
  for (int k = 0; k < 8; ++k) {
    WAIT_GROUP(kStages - 2);
    __syncthreads();
    int next = k + kStages - 1;
    if (next < 8) COPY_ASYNC(4, &s[next % kStages][threadIdx.x], x + next * 64 + threadIdx.x);
    COMMIT();
    sum += s[k % kStages][63 - threadIdx.x];
  }
  y[threadIdx.x] = sum;
}

//@ own_copy block=64 : clean
__global__ void own_copy(int* x, int* y, int n) {
  __shared__ __align__(16) int s[256];
  COPY_ASYNC(16, s + threadIdx.x * 4, x + threadIdx.x * 4);
  WAIT_ALL();
  y[threadIdx.x] = s[threadIdx.x * 4 + 2];
}

//@ copies_to_mbarrier block=64 : clean
__global__ void copies_to_mbarrier(int* x, int* y, int n) {
  __shared__ int s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 64);
  __syncthreads();
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);
  COPIES_ARRIVE(&bar);
  BARRIER_WAIT(&bar, 0);
  y[threadIdx.x] = s[63 - threadIdx.x];
}

//@ mbarrier_as_barrier block=96 : clean
__global__ void mbarrier_as_barrier(int* x, int* y, int n) {
  __shared__ int s[96];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 96);
  __syncthreads();
  int v = x[threadIdx.x];
  for (int k = 0; k < 4; ++k) {
    s[threadIdx.x] = v;
    BARRIER_ARRIVE(&bar);
    BARRIER_WAIT(&bar, 0);
    v = s[95 - threadIdx.x];
    BARRIER_ARRIVE(&bar);
    BARRIER_WAIT(&bar, 1);
  }
  y[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) BARRIER_INVALIDATE(&bar);
}

//@ full_and_empty block=64 n=512 : clean
//@ full_and_empty block=64 n=512 schedule=reversed : clean
__global__ void full_and_empty(int* x, int* y, int n) {
  __shared__ __align__(16) int s[2][64];
  __shared__ __align__(8) unsigned long long full[2], empty[2];
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) {
      BARRIER_INIT(&full[k], 1);
      BARRIER_INIT(&empty[k], 32);
    }
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    int stage = k % 2, round = k / 2;
    if (threadIdx.x == 0) {
      BARRIER_WAIT(&empty[stage], (round & 1) ^ 1);
      EXPECT_BYTES(&full[stage], 256);
      BULK_LOAD(s[stage], x + k * 64, 256, &full[stage]);
    } else if (threadIdx.x >= 32) {
      int lane = threadIdx.x - 32;
      BARRIER_WAIT(&full[stage], round & 1);
      y[k * 64 + lane] = s[stage][63 - lane];
      y[k * 64 + 32 + lane] = s[stage][lane];
      BARRIER_ARRIVE(&empty[stage]);
    }
  }
}

//@ bulk_round_trip block=64 n=512 : clean
__global__ void bulk_round_trip(int* x, int* y, int n) {
  __shared__ __align__(16) int in[64], out[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 1);
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x == 0) {
      EXPECT_BYTES(&bar, 256);
      BULK_LOAD(in, x + k * 64, 256, &bar);
    }
    BARRIER_WAIT(&bar, k & 1);
    if (threadIdx.x == 0) BULK_WAIT_READ(0);
    __syncthreads();
    out[threadIdx.x] = in[63 - threadIdx.x] + 1;
    FENCE_PROXY();
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_STORE(y + k * 64, out, 256);
      BULK_COMMIT();
    }
  }
  if (threadIdx.x == 0) BULK_WAIT(0);
}

//@ cluster_exchange grid=4 cluster=2 block=64 : clean
__global__ void cluster_exchange(int* x, int* y, int n) {
  __shared__ int s[64];
  auto cluster = cooperative_groups::this_cluster();
  s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  cluster.sync();
  int* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  y[blockIdx.x * 64 + threadIdx.x] = other[63 - threadIdx.x];
  cluster.sync();
}

//@ cluster_atomics grid=2 cluster=2 block=64 : clean
__global__ void cluster_atomics(int* x, int* y, int n) {
  __shared__ int total;
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) total = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&total, 0), x[threadIdx.x]);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) y[0] = total;
}

//@ last_lane_spins block=32 : clean
__global__ void last_lane_spins(int* x, int* y, int n) {
  if (threadIdx.x == 31) {
    while (atomicAdd(&y[100], 0) < 31) {}
  } else {
    atomicAdd(&y[100], 1);
  }
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
}
