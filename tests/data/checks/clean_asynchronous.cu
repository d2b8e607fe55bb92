// Asynchronous copies and mbarriers without defects: nothing may be found.
#include "async.h"

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
