// Planted defects: races between blocks, where fences, their scopes and atomics are what orders.
__device__ int done_count;
__device__ int lock_word;

//@ total_plain grid=8 : race
__global__ void total_plain(int* x, int* y, int n) {
  if (threadIdx.x == 0) y[0] += x[blockIdx.x];  //!
}

//@ overlap_of_tiles grid=4 block=33 n=512 : race
__global__ void overlap_of_tiles(int* x, int* y, int n) {
  y[blockIdx.x * 32 + threadIdx.x] = x[blockIdx.x] + 1;  //!
}

//@ neighbour_block grid=4 n=128 : race
__global__ void neighbour_block(int* x, int* y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  y[i] = x[i] + 1;  //!
  x[i] = y[(i + 32) % n];  //!
}

//@ stencil_in_place grid=4 n=256 : race
__global__ void stencil_in_place(int* x, int* y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  int left = i ? x[i - 1] : 0, right = x[i + 1];  //!
  __syncthreads();
  x[i] = left + right + 1;  //!
}

//@ ticket_without_fence grid=4 : race
__global__ void ticket_without_fence(int* x, int* y, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    y[blockIdx.x] = x[blockIdx.x] + 1;  //!
    last = atomicAdd(&y[100], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += y[k];  //!
    y[101] = sum;
  }
}

//@ ticket_read_plainly grid=4 : race
__global__ void ticket_read_plainly(int* x, int* y, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    y[blockIdx.x] = x[blockIdx.x] + 1;  //!
    __threadfence();
    last = atomicAdd(&y[100], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) y[101 + threadIdx.x] = y[threadIdx.x];  //!
}

//@ ticket_block_fence grid=4 : race
__global__ void ticket_block_fence(int* x, int* y, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    y[blockIdx.x] = x[blockIdx.x] + 1;  //!
    __threadfence_block();
    last = atomicAdd(&y[100], 1) == gridDim.x - 1;
    __threadfence_block();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += y[k];  //!
    y[101] = sum;
  }
}

//@ ticket_before_the_others grid=4 block=64 : race
__global__ void ticket_before_the_others(int* x, int* y, int n) {
  __shared__ bool last;
  y[blockIdx.x * 64 + threadIdx.x] = x[threadIdx.x] + 1;  //!
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&done_count, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += y[k * 64 + threadIdx.x];  //!
    x[threadIdx.x] = sum;  //!
  }
}

//@ ticket_no_fence_after grid=4 : race
__global__ void ticket_no_fence_after(int* x, int* y, int n) {
  if (threadIdx.x) return;
  y[blockIdx.x] = x[blockIdx.x] + 1;  //!
  __threadfence();
  if (atomicAdd(&y[100], 1) == gridDim.x - 1) {
    int sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += y[k];  //!
    y[101] = sum;
  }
}

//@ flag<0> grid=2 : race
//@ flag<1> grid=2 : race
//@ flag<2> grid=2 : race
template <int kKind>
__global__ void flag(int* x, int* y, int n) {
  volatile int* ready = y + 64;
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    y[0] = x[3] + 1;  //!
    if (kKind == 1) __threadfence_block();
    if (kKind == 2) __threadfence();
    *ready = 1;
  } else {
    while (*ready == 0) {}
    if (kKind == 1) __threadfence_block();
    y[32] = y[0];  //!
  }
}

//@ flag_then_data grid=2 : race
__global__ void flag_then_data(int* x, int* y, int n) {
  volatile int* ready = y + 64;
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    *ready = 1;
    __threadfence();
    y[0] = x[3] + 1;  //!
  } else {
    while (*ready == 0) {}
    __threadfence();
    y[32] = y[0];  //!
  }
}

//@ plain_flag grid=2 : race
__global__ void plain_flag(int* x, int* y, int n) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    y[0] = 1;  //!
  } else {
    y[32] = y[0];  //!
  }
}

//@ release_cta grid=2 : race
__global__ void release_cta(int* x, int* y, int n) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    y[0] = x[3] + 1;  //!
    asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(y + 64) : "memory");  //!
  } else {
    int seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(y + 64) : "memory");  //!
    while (!seen);
    y[32] = y[0];  //!
  }
}

//@ acquire_relaxed grid=2 : race
__global__ void acquire_relaxed(int* x, int* y, int n) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    y[0] = x[3] + 1;  //!
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(y + 64) : "memory");
  } else {
    int seen;
    do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(y + 64) : "memory");
    while (!seen);
    y[32] = y[0];  //!
  }
}

//@ lock_without_fence grid=3 : race
__global__ void lock_without_fence(int* x, int* y, int n) {
  if (threadIdx.x) return;
  while (atomicCAS(&lock_word, 0, 1)) {}
  y[0] += x[blockIdx.x] + 1;  //!
  atomicExch(&lock_word, 0);
}

//@ lock_released_early grid=3 : race
__global__ void lock_released_early(int* x, int* y, int n) {
  if (threadIdx.x) return;
  while (atomicCAS(&y[64], 0, 1)) {}
  __threadfence();
  int before = y[0];  //!
  __threadfence();
  atomicExch(&y[64], 0);
  y[0] = before + 1;  //!
}

//@ two_locks grid=2 : race
__global__ void two_locks(int* x, int* y, int n) {
  if (threadIdx.x) return;
  int* mine = y + 64 + blockIdx.x;
  while (atomicCAS(mine, 0, 1)) {}
  __threadfence();
  y[0] += 1;  //!
  __threadfence();
  atomicExch(mine, 0);
}

//@ atomic_and_plain grid=4 : race
__global__ void atomic_and_plain(int* x, int* y, int n) {
  if (threadIdx.x) return;
  if (blockIdx.x == 2) y[0] = 100;  //!
  else atomicAdd(&y[0], 1);  //!
}

//@ block_scope_atomics grid=4 : race
__global__ void block_scope_atomics(int* x, int* y, int n) {
  if (threadIdx.x == 0) atomicAdd_block(&y[0], x[blockIdx.x] + 1);  //!
}

//@ max_by_hand grid=4 n=512 : race
__global__ void max_by_hand(int* x, int* y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (x[i] > y[0]) y[0] = x[i];  //!
}

//@ grid_barrier_by_hand grid=4 : race
__global__ void grid_barrier_by_hand(int* x, int* y, int n) {
  y[blockIdx.x * 32 + threadIdx.x] = x[threadIdx.x] + 1;  //!
  if (threadIdx.x == 0) {
    atomicAdd(&y[200], 1);
    while (*static_cast<volatile int*>(y + 200) < gridDim.x) {}
  }
  __syncthreads();
  x[blockIdx.x * 32 + threadIdx.x] = y[(blockIdx.x * 32 + threadIdx.x + 32) % 128];  //!
}

//@ append_plain grid=4 : race
__global__ void append_plain(int* x, int* y, int n) {
  if (threadIdx.x == 0) {
    int at = y[0];  //!
    y[0] = at + 1;  //!
  }
}
