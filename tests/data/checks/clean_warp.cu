// Lanes of a warp that exchange, diverge and wait for each other without defects: nothing may be found.

constexpr unsigned kAll = 0xffffffff;

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
