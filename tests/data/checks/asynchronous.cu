// Planted defects: asynchronous copies that are not waited for, or that go past ordinary stores.
#include "async.h"

//@ no_wait<4> : race
//@ no_wait<8> : race
//@ no_wait<16> : race
template <int kBytes>
__global__ void no_wait(int* x, int* y, int n) {
  __shared__ __align__(16) int s[128];
  COPY_ASYNC(kBytes, s + threadIdx.x * kBytes / 4, x + threadIdx.x * kBytes / 4);  //!
  COMMIT();
  y[threadIdx.x] = s[threadIdx.x * kBytes / 4];  //!
}

//@ wait_for_the_other_group : race
__global__ void wait_for_the_other_group(int* x, int* y, int n) {
  __shared__ int s[64];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);
  COMMIT();
  COPY_ASYNC(4, s + 32 + threadIdx.x, x + 32 + threadIdx.x);  //!
  COMMIT();
  WAIT_GROUP(1);
  y[threadIdx.x] = s[threadIdx.x] + s[32 + threadIdx.x];  //!
}

//@ wait_without_barrier block=64 : race
__global__ void wait_without_barrier(int* x, int* y, int n) {
  __shared__ int s[64];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);  //!
  COMMIT();
  WAIT_GROUP(0);
  y[threadIdx.x] = s[63 - threadIdx.x];  //!
}

//@ barrier_without_wait block=64 : race
__global__ void barrier_without_wait(int* x, int* y, int n) {
  __shared__ int s[64];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);  //!
  COMMIT();
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];  //!
}

//@ wait_after_the_barrier block=64 : race
__global__ void wait_after_the_barrier(int* x, int* y, int n) {
  __shared__ int s[64];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);  //!
  COMMIT();
  __syncthreads();
  WAIT_GROUP(0);
  y[threadIdx.x] = s[63 - threadIdx.x];  //!
}

//@ not_committed : race
__global__ void not_committed(int* x, int* y, int n) {
  __shared__ int s[32];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);  //!
  WAIT_GROUP(0);
  __syncwarp();
  y[threadIdx.x] = s[31 - threadIdx.x];  //!
}

//@ pipeline<1> block=64 n=512 : race
//@ pipeline<2> block=64 n=512 : race
template <int kLate>
__global__ void pipeline(int* x, int* y, int n) {  // two buffers, but waits for too few
  __shared__ int s[2][64];
  int sum = 0;
  COPY_ASYNC(4, &s[0][threadIdx.x], x + threadIdx.x);  //!
  COMMIT();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) COPY_ASYNC(4, &s[(k + 1) % 2][threadIdx.x], x + (k + 1) * 64 + threadIdx.x);  //!
    COMMIT();
    WAIT_GROUP(1 + kLate);
    __syncthreads();
    sum += s[k % 2][63 - threadIdx.x];  //!
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

//@ buffer_refilled_early block=64 n=512 : race
__global__ void buffer_refilled_early(int* x, int* y, int n) {
  __shared__ int s[2][64];
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    COPY_ASYNC(4, &s[k % 2][threadIdx.x], x + k * 64 + threadIdx.x);  //!
    COMMIT();
    WAIT_GROUP(0);
    if (k % 2 == 0) __syncthreads();
    sum += s[k % 2][threadIdx.x ^ 32];  //!
  }
  y[threadIdx.x] = sum;
}

//@ source_overwritten : race
__global__ void source_overwritten(int* x, int* y, int n) {
  __shared__ int s[32];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);  //!
  COMMIT();
  x[threadIdx.x] = 7;  //!
  WAIT_GROUP(0);
  y[threadIdx.x] = s[threadIdx.x];
}

//@ store_under_a_copy : race
__global__ void store_under_a_copy(int* x, int* y, int n) {
  __shared__ int s[32];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);  //!
  s[threadIdx.x] = 3;  //!
  WAIT_ALL();
  y[threadIdx.x] = s[threadIdx.x];
}

//@ bulk_load_not_waited : race unfinished-copy
__global__ void bulk_load_not_waited(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 1);
  __syncwarp();
  if (threadIdx.x == 0) {
    EXPECT_BYTES(&bar, 128);
    BULK_LOAD(s, x, 128, &bar);  //!
  }
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x];  //!
}

//@ bulk_load_waited_by_one : race
__global__ void bulk_load_waited_by_one(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 1);
    EXPECT_BYTES(&bar, 128);
    BULK_LOAD(s, x, 128, &bar);  //!
    BARRIER_WAIT(&bar, 0);
  }
  y[threadIdx.x] = s[threadIdx.x];  //!
}

//@ bulk_load_other_barrier : race unfinished-copy
__global__ void bulk_load_other_barrier(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  __shared__ __align__(8) unsigned long long bars[2];
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      BARRIER_INIT(&bars[k], 1);
      EXPECT_BYTES(&bars[k], 128);
      BULK_LOAD(s + k * 32, x + k * 32, 128, &bars[k]);  //!
    }
  }
  __syncwarp();
  BARRIER_WAIT(&bars[0], 0);
  y[threadIdx.x] = s[threadIdx.x] + s[32 + threadIdx.x];  //!
}

//@ bulk_load_over_readers block=64 n=512 : race
__global__ void bulk_load_over_readers(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  __shared__ __align__(8) unsigned long long bars[3];
  if (threadIdx.x < 3) BARRIER_INIT(&bars[threadIdx.x], 1);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    if (threadIdx.x == 0) {
      EXPECT_BYTES(&bars[k], 256);
      BULK_LOAD(s, x + k * 64, 256, &bars[k]);  //!
    }
    BARRIER_WAIT(&bars[k], 0);
    sum += s[63 - threadIdx.x];  //!
  }
  y[threadIdx.x] = sum;
}

//@ bulk_store_without_proxy_fence : race
__global__ void bulk_store_without_proxy_fence(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  s[threadIdx.x] = x[threadIdx.x];  //!
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, 128);  //!
    BULK_COMMIT();
    BULK_WAIT_READ(0);
  }
}

//@ bulk_store_without_barrier : race
__global__ void bulk_store_without_barrier(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  s[threadIdx.x] = x[threadIdx.x];  //!
  FENCE_PROXY();
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, 128);  //!
    BULK_COMMIT();
    BULK_WAIT_READ(0);
  }
}

//@ bulk_store_buffer_reused : race
__global__ void bulk_store_buffer_reused(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  for (int k = 0; k < 2; ++k) {
    s[threadIdx.x] = x[threadIdx.x + k];  //!
    FENCE_PROXY();
    __syncwarp();
    if (threadIdx.x == 0) {
      BULK_STORE(y + k * 32, s, 128);  //!
      BULK_COMMIT();
    }
    __syncwarp();
  }
  if (threadIdx.x == 0) BULK_WAIT_READ(0);
}

//@ bulk_store_read_back : race
__global__ void bulk_store_read_back(int* x, int* y, int n) {
  __shared__ __align__(16) int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  FENCE_PROXY();
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, 128);  //!
    BULK_COMMIT();
    BULK_WAIT_READ(0);
    x[0] = y[5];  //!
  }
}

//@ copies_signal_without_wait : race
__global__ void copies_signal_without_wait(int* x, int* y, int n) {
  __shared__ int s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 32);
  __syncwarp();
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);  //!
  COPIES_ARRIVE(&bar);
  y[threadIdx.x] = s[threadIdx.x];  //!
}

//@ arrive_without_wait block=64 : race
__global__ void arrive_without_wait(int* x, int* y, int n) {
  __shared__ int s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 64);
  __syncthreads();
  s[threadIdx.x] = x[threadIdx.x];  //!
  BARRIER_ARRIVE(&bar);
  y[threadIdx.x] = s[63 - threadIdx.x];  //!
}

//@ wait_for_the_wrong_phase block=64 stops : mbarrier-misuse race
__global__ void wait_for_the_wrong_phase(int* x, int* y, int n) {
  __shared__ int s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 64);
  __syncthreads();
  s[threadIdx.x] = x[threadIdx.x];  //!
  BARRIER_ARRIVE(&bar);
  BARRIER_WAIT(&bar, 1);  //!
  y[threadIdx.x] = s[63 - threadIdx.x];  //!
}
