// Planted defects: barriers that not all threads reach, or not the same one.
//@ half_a_warp<1> block=32 : divergent-barrier
//@ half_a_warp<7> block=64 : divergent-barrier
//@ half_a_warp<16> block=32 : divergent-barrier
//@ half_a_warp<31> block=128 : divergent-barrier
//@ half_a_warp<48> block=64 : divergent-barrier
template <int kThreads>
__global__ void half_a_warp(int* x, int* y, int n) {
  if (threadIdx.x < kThreads) __syncthreads();  //!
  y[threadIdx.x] = x[threadIdx.x];
}

//@ half_the_block<32> block=64 : divergent-barrier
//@ half_the_block<96> block=128 : divergent-barrier
template <int kThreads>
__global__ void half_the_block(int* x, int* y, int n) {
  if (threadIdx.x < kThreads) __syncthreads();  //!
  y[threadIdx.x] = x[threadIdx.x];
}

//@ two_barriers block=32 : divergent-barrier
__global__ void two_barriers(int* x, int* y, int n) {
  if (threadIdx.x % 2) {
    y[threadIdx.x] = 1;
    __syncthreads();  //!
  } else {
    y[threadIdx.x] = 2;
    __syncthreads();  //!
  }
}

//@ by_warp block=64 : divergent-barrier
__global__ void by_warp(int* x, int* y, int n) {
  if (threadIdx.x < 32) {
    y[threadIdx.x] = x[threadIdx.x] + 1;
    __syncthreads();  //!
    y[threadIdx.x] = 4;
  } else {
    y[threadIdx.x] = x[threadIdx.x] + 2;
    __syncthreads();  //!
  }
}

//@ skipped_then_another block=64 : divergent-barrier
__global__ void skipped_then_another(int* x, int* y, int n) {
  if (threadIdx.x < 32) __syncthreads();  //!
  y[threadIdx.x] = x[threadIdx.x];
  __syncthreads();  //!
}

//@ early_return block=32 n=20 : divergent-barrier
__global__ void early_return(int* x, int* y, int n) {
  if (threadIdx.x >= n) return;
  y[threadIdx.x] = x[threadIdx.x];
  __syncthreads();  //!
  x[threadIdx.x] = y[n - 1 - threadIdx.x];
}

//@ trip_count block=32 : divergent-barrier
__global__ void trip_count(int* x, int* y, int n) {
  for (int k = 0; k < threadIdx.x % 3 + 1; ++k) {
    y[threadIdx.x] = k;
    __syncthreads();  //!
  }
}

//@ data_decides block=64 : divergent-barrier
__global__ void data_decides(int* x, int* y, int n) {
  if (x[threadIdx.x] > 10) {
    y[threadIdx.x] = 1;
    __syncthreads();  //!
  }
}

//@ in_a_switch block=32 : divergent-barrier
__global__ void in_a_switch(int* x, int* y, int n) {
  switch (x[threadIdx.x] % 3) {
    case 0: y[threadIdx.x] = 5; break;
    case 1: __syncthreads(); y[threadIdx.x] = 6; break;  //!
    default: y[threadIdx.x] = 7;
  }
}

//@ counted_reduction block=32 : divergent-barrier
__global__ void counted_reduction(int* x, int* y, int n) {
  int count = 0;
  if (threadIdx.x != 5) count = __syncthreads_count(x[threadIdx.x] > 3);  //!
  y[threadIdx.x] = count;
}

//@ and_reduction block=64 : divergent-barrier
__global__ void and_reduction(int* x, int* y, int n) {
  int all = 1;
  if (threadIdx.x < 40) all = __syncthreads_and(x[threadIdx.x] < 300);  //!
  y[threadIdx.x] = all;
}

//@ too_many_expected block=64 stops : divergent-barrier
__global__ void too_many_expected(int* x, int* y, int n) {
  asm volatile("bar.sync 1, 96;" ::: "memory");  //!
  y[threadIdx.x] = 1;
}

//@ counts_differ block=64 stops : divergent-barrier
__global__ void counts_differ(int* x, int* y, int n) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  //!
  else asm volatile("bar.sync 1, 32;" ::: "memory");  //!
  y[threadIdx.x] = 1;
}

//@ other_number block=64 stops : divergent-barrier
__global__ void other_number(int* x, int* y, int n) {
  asm volatile("bar.sync %0, 64;" ::"r"(threadIdx.x / 32 + 1) : "memory");  //!
  y[threadIdx.x] = 1;
}

//@ nobody_arrives block=64 stops : divergent-barrier
__global__ void nobody_arrives(int* x, int* y, int n) {
  if (threadIdx.x >= 32) asm volatile("bar.sync 2, 64;" ::: "memory");  //!
  else if (n < 0) asm volatile("bar.arrive 2, 64;" ::: "memory");
  y[threadIdx.x] = 1;
}

//@ producer_short block=96 stops : divergent-barrier
__global__ void producer_short(int* x, int* y, int n) {
  if (threadIdx.x < 32) asm volatile("bar.arrive 3, 96;" ::: "memory");
  else if (threadIdx.x < 64) asm volatile("bar.sync 3, 96;" ::: "memory");  //!
  y[threadIdx.x] = 1;
}

//@ one_warp_leaves_the_loop block=64 : divergent-barrier
__global__ void one_warp_leaves_the_loop(int* x, int* y, int n) {
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x >= 32 && k == 2) break;
    y[threadIdx.x] = k;
    __syncthreads();  //!
  }
  x[threadIdx.x] = 3;
}

//@ cluster_barrier_missed grid=2 cluster=2 block=64 stops : divergent-barrier
__global__ void cluster_barrier_missed(int* x, int* y, int n) {
  if (threadIdx.x == 0 && blockIdx.x == 1) {
    while (*static_cast<volatile int*>(y) == 0 && n < 0) {}
  }
  if (threadIdx.x < 32) asm volatile("barrier.cluster.arrive;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");  //!
  y[threadIdx.x] = 1;
}
