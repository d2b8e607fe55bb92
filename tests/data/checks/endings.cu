// Planted defects: threads and blocks that end while copies still use the block's shared memory. //! marks the copy.
#include <cooperative_groups.h>

#include "async.h"

/// A word a thread, which copies by any thread may read.
__device__ void fill(int* s, const int* x) {
  s[threadIdx.x] = x[threadIdx.x];
  FENCE_PROXY();
  __syncthreads();
}

__device__ void expect(unsigned long long* bar, int bytes) {
  BARRIER_INIT(bar, 1);
  EXPECT_BYTES(bar, bytes);
}

//@ store_not_waited<16> : unfinished-copy
//@ store_not_waited<64> : unfinished-copy
//@ store_not_waited<128> : unfinished-copy
template <int kBytes>
__global__ void store_not_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  fill(s, x);
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, kBytes);  //!
    BULK_COMMIT();
  }
}

//@ store_not_committed : unfinished-copy
__global__ void store_not_committed(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  fill(s, x);
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, 128);  //!
    BULK_WAIT_READ(0);
  }
}

//@ another_thread_waits block=64 : unfinished-copy
__global__ void another_thread_waits(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  fill(s, x);
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, 256);  //!
    BULK_COMMIT();
  }
  if (threadIdx.x == 32) BULK_WAIT(0);
  __syncthreads();
}

//@ last_store_pending<1> n=512 : unfinished-copy
//@ last_store_pending<2> n=512 : unfinished-copy
template <int kPending>
__global__ void last_store_pending(int* x, int* y, int n) {
  __shared__ __align__(16) int s[3][32];
  for (int k = 0; k < 6; ++k) {
    if (threadIdx.x == 0) BULK_WAIT_READ(2);
    __syncwarp();
    s[k % 3][threadIdx.x] = x[threadIdx.x + k];
    FENCE_PROXY();
    __syncwarp();
    if (threadIdx.x == 0) {
      BULK_STORE(y + k * 32, s[k % 3], 128);  //!
      BULK_COMMIT();
    }
  }
  if (threadIdx.x == 0) BULK_WAIT_READ(kPending);
}

//@ waits_before_it_stores : unfinished-copy
__global__ void waits_before_it_stores(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  fill(s, x);
  if (threadIdx.x == 0) {
    BULK_WAIT(0);
    BULK_STORE(y, s, 128);  //!
    BULK_COMMIT();
  }
}

//@ every_warp_stores block=128 : unfinished-copy
__global__ void every_warp_stores(int* x, int* y, int n) {
  __shared__ __align__(16) int s[128];
  fill(s, x);
  if (threadIdx.x % 32 == 0) {
    BULK_STORE(y + threadIdx.x, s + threadIdx.x, 128);  //!
    BULK_COMMIT();
    if (threadIdx.x != 64) BULK_WAIT_READ(0);
  }
}

//@ leaves_by_another_way block=64 : unfinished-copy
__global__ void leaves_by_another_way(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  fill(s, x);
  if (threadIdx.x > 0) return;
  BULK_STORE(y, s, 256);  //!
  BULK_COMMIT();
  if (x[5] == 5) return;
  BULK_WAIT_READ(0);
}

//@ reduction_not_waited : unfinished-copy
__global__ void reduction_not_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  fill(s, x);
  if (threadIdx.x == 0) {
    BULK_ADD(y, s, 128);  //!
    BULK_COMMIT();
  }
}

//@ load_not_waited<16> : unfinished-copy
//@ load_not_waited<128> : unfinished-copy
//@ load_not_waited<512> grid=3 : unfinished-copy
template <int kBytes>
__global__ void load_not_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[128];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    expect(&bar, kBytes);
    BULK_LOAD(s, x, kBytes, &bar);  //!
  }
}

//@ prefetched_too_far block=64 n=512 : unfinished-copy
__global__ void prefetched_too_far(int* x, int* y, int n) {
  __shared__ __align__(16) int s[2][64];
  __shared__ __align__(8) unsigned long long bars[2];
  if (threadIdx.x < 2) BARRIER_INIT(&bars[threadIdx.x], 1);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 5; ++k) {
    if (threadIdx.x == 0) {
      EXPECT_BYTES(&bars[k % 2], 256);
      BULK_LOAD(s[k % 2], x + k * 64, 256, &bars[k % 2]);  //!
    }
    if (k == 0) continue;
    BARRIER_WAIT(&bars[(k - 1) % 2], (k - 1) / 2 % 2);
    sum += s[(k - 1) % 2][63 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

//@ waits_for_the_first_only : unfinished-copy
__global__ void waits_for_the_first_only(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  __shared__ __align__(8) unsigned long long bars[2];
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) {
      expect(&bars[k], 128);
      BULK_LOAD(s + k * 32, x + k * 32, 128, &bars[k]);  //!
    }
  __syncwarp();
  BARRIER_WAIT(&bars[0], 0);
  y[threadIdx.x] = s[threadIdx.x];
}

//@ refilled_at_the_end : unfinished-copy
__global__ void refilled_at_the_end(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 1);
  __syncwarp();
  for (int k = 0; k < 3; ++k) {
    if (threadIdx.x == 0) {
      EXPECT_BYTES(&bar, 128);
      BULK_LOAD(s, x + k * 32, 128, &bar);  //!
    }
    if (k == 2) break;
    BARRIER_WAIT(&bar, k & 1);
    y[threadIdx.x] = s[threadIdx.x];
    __syncwarp();
  }
}

//@ barrier_dropped_with_a_load : unfinished-copy
__global__ void barrier_dropped_with_a_load(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    expect(&bar, 128);
    BULK_LOAD(s, x, 128, &bar);  //!
    BARRIER_INVALIDATE(&bar);
  }
}

//@ early_return_after_the_load block=64 : unfinished-copy
__global__ void early_return_after_the_load(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    BULK_LOAD(s, x, 256, &bar);  //!
  }
  __syncthreads();
  if (x[3] == 3) return;
  BARRIER_WAIT(&bar, 0);
  y[threadIdx.x] = s[threadIdx.x];
}

//@ multicast_not_waited grid=2 cluster=2 : unfinished-copy
__global__ void multicast_not_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  __shared__ __align__(8) unsigned long long bar;
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) {
    expect(&bar, 128);
  }
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) BULK_MULTICAST(s, x, 128, &bar, 3);  //!
  if (cluster.block_rank() == 0) BARRIER_WAIT(&bar, 0);
  cluster.sync();
}

//@ stored_and_waited : clean
__global__ void stored_and_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  fill(s, x);
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, 128);
    BULK_COMMIT();
    BULK_WAIT_READ(0);
  }
}

//@ reduced_and_waited : clean
__global__ void reduced_and_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  fill(s, x);
  if (threadIdx.x == 0) {
    BULK_ADD(y, s, 128);
    BULK_COMMIT();
    BULK_WAIT(0);
  }
}

//@ one_thread_waits_for_the_load block=64 : clean
__global__ void one_thread_waits_for_the_load(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    BULK_LOAD(s, x, 256, &bar);
  }
  __syncthreads();
  if (threadIdx.x == 40) BARRIER_WAIT(&bar, 0);
}

//@ multicast_waited grid=2 cluster=2 : clean
__global__ void multicast_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  __shared__ __align__(8) unsigned long long bar;
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) {
    expect(&bar, 128);
  }
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) BULK_MULTICAST(s, x, 128, &bar, 3);
  BARRIER_WAIT(&bar, 0);
  y[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
  cluster.sync();
}
