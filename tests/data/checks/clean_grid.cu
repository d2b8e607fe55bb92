// Blocks and clusters that order their work by fences, atomics and barriers without defects: nothing may be found.
#include <cooperative_groups.h>

__device__ int done_count, lock_word, queue_head, generation;

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

//@ ticket_read_as_volatile grid=8 block=64 n=512 : clean
__global__ void ticket_read_as_volatile(int* x, int* y, int n) {  // as the programming guide sums up
  __shared__ bool last;
  if (threadIdx.x == 0) {
    y[blockIdx.x] = x[blockIdx.x * 64] + 1;
    __threadfence();
    last = atomicAdd(&done_count, 1) % gridDim.x == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) y[256 + threadIdx.x] = static_cast<volatile int*>(y)[threadIdx.x];
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
