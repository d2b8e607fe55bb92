// Kernels that wait mostly for one thing: named by the stall reason, the line marked by "here". Run by counters.py.
// Recorded samples (tests/data/counters) go by these lines' numbers.
#include "counters_data.cuh"

constexpr int kSteps = 2000;

// A chain through memory: each address comes from the load before.
__global__ void long_scoreboard(const int* next, int* out) {
  int at = blockIdx.x * 997 + threadIdx.x * 33;
  for (int k = 0; k < kSteps / 4; ++k) at = next[at & 0x3ffffff];  // here: long_scoreboard
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// A chain through shared memory.
__global__ void short_scoreboard(int* out) {
  __shared__ int next[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) next[k] = (k * 5 + 1) & 1023;
  __syncthreads();
  int at = threadIdx.x;
  for (int k = 0; k < kSteps; ++k) at = next[at];  // here: short_scoreboard
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// A chain of multiply-adds with one warp a scheduler.
__global__ void wait(float* out) {
  float x = threadIdx.x;
#pragma unroll 64
  for (int k = 0; k < kSteps * 4; ++k) x = x * 1.0001f + 0.5f;  // here: wait
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// One warp works, the others are at the barrier.
__global__ void barrier(float* out) {
  float x = threadIdx.x;
  for (int k = 0; k < 50; ++k) {
    if (threadIdx.x < 32)
      for (int j = 0; j < 400; ++j) x = x * 1.0001f + 0.5f;
    __syncthreads();  // here: barrier
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Double precision from many warps: its pipe is full.
__global__ void math_pipe_throttle(double* out) {
  double a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < kSteps; ++k) {
    a = a * 1.0001 + 0.5, b = b * 1.0001 + 0.5, c = c * 1.0001 + 0.5, d = d * 1.0001 + 0.5;  // here: math_pipe_throttle
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// Many narrow stores: the queue of global memory instructions is full.
__global__ void lg_throttle(int* out) {
  volatile int* to = out + (blockIdx.x * blockDim.x + threadIdx.x) % 65536;
  for (int k = 0; k < kSteps / 4; ++k) {
    to[0] = k, to[65536] = k, to[131072] = k, to[196608] = k;  // here: lg_throttle
  }
}

// Stores to shared memory without a pause: the queue of MIO instructions is full.
__global__ void mio_throttle(int* out) {
  __shared__ volatile int tile[4096];
  for (int k = 0; k < kSteps; ++k) {
    tile[threadIdx.x] = k, tile[threadIdx.x + 1024] = k, tile[threadIdx.x + 2048] = k;  // here: mio_throttle
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x * 7) & 1023];
}

// A fence after every store.
__global__ void membar(int* out) {
  volatile int* to = out + blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < kSteps / 10; ++k) {
    *to = k;
    __threadfence();  // here: membar
  }
}

// Sleeps as told.
__global__ void sleeping(int* out) {
  for (int k = 0; k < 20; ++k) __nanosleep(10000);  // here: sleeping
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
  int *data, *out;
  if (!make_data(&data, &out)) return 1;
  long_scoreboard<<<264, 128>>>(data, out);
  short_scoreboard<<<132, 128>>>(out);
  wait<<<132, 128>>>(reinterpret_cast<float*>(out));
  barrier<<<264, 512>>>(reinterpret_cast<float*>(out));
  math_pipe_throttle<<<528, 512>>>(reinterpret_cast<double*>(out));
  lg_throttle<<<528, 512>>>(out);
  mio_throttle<<<264, 1024>>>(out);
  membar<<<264, 256>>>(out);
  sleeping<<<264, 128>>>(out);
  return finish();
}
