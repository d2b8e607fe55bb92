// Source of messages.ptx (nvcc -ptx -lineinfo -arch=sm_90a): a kernel for each kind of message that the checks print.
#include "../async.h"

extern "C" __global__ void past_the_end(int* x, int* y, int n) {
  y[blockIdx.x * blockDim.x + threadIdx.x + 4] = x[threadIdx.x];
}

extern "C" __global__ void misaligned(int* x, int* y, int n) {
  *reinterpret_cast<int4*>(y + 1) = int4{};
}

extern "C" __global__ void unwritten(int* x, int* y, int n) {
  extern __shared__ int s[];
  y[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void race_of_a_block(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x ^ 32];
}

extern "C" __global__ void race_of_blocks(int* x, int* y, int n) {
  if (threadIdx.x == 0) y[3] += x[blockIdx.x];
}

extern "C" __global__ void copy_not_waited(int* x, int* y, int n) {
  __shared__ int s[64];
  COPY_ASYNC(4, s + threadIdx.x, x + threadIdx.x);
  COMMIT();
  y[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void no_proxy_fence(int* x, int* y, int n) {
  __shared__ __align__(16) int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_STORE(y, s, 256);
    BULK_COMMIT();
    BULK_WAIT_READ(0);
  }
}

extern "C" __global__ void divergent(int* x, int* y, int n) {
  if (threadIdx.x < 16) __syncthreads();
  y[threadIdx.x] = 1;
}

extern "C" __global__ void missing_lanes(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  if (threadIdx.x % 32 < 20) v = __shfl_down_sync(0xffffffff, v, 1);
  y[threadIdx.x] = v;
}

extern "C" __global__ void mbarrier_short(int* x, int* y, int n) {
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 65);
  __syncthreads();
  BARRIER_ARRIVE(&bar);
  BARRIER_WAIT(&bar, 0);
  y[threadIdx.x] = 1;
}

extern "C" __global__ void mbarrier_unused(int* x, int* y, int n) {
  __shared__ __align__(8) unsigned long long bar;
  BARRIER_ARRIVE(&bar);
}
