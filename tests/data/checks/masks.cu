// Planted defects: *_sync masks that lack lanes which come, or name lanes which do not.
constexpr unsigned kAll = 0xffffffff;

//@ shuffle_in_a_branch<16> : missing-mask-lanes
//@ shuffle_in_a_branch<1> : missing-mask-lanes
//@ shuffle_in_a_branch<31> : missing-mask-lanes
template <int kLanes>
__global__ void shuffle_in_a_branch(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  if (threadIdx.x < kLanes) v += __shfl_down_sync(kAll, v, 1);  //!
  y[threadIdx.x] = v;
}

//@ shuffle_up : missing-mask-lanes
__global__ void shuffle_up(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  if (v & 1) v = __shfl_up_sync(kAll, v, 2);  //!
  y[threadIdx.x] = v;
}

//@ shuffle_xor : missing-mask-lanes
__global__ void shuffle_xor(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  if (threadIdx.x != 9) v = __shfl_xor_sync(kAll, v, 16);  //!
  y[threadIdx.x] = v;
}

//@ shuffle_index : missing-mask-lanes
__global__ void shuffle_index(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  if (threadIdx.x > 3) v = __shfl_sync(kAll, v, 0);  //!
  y[threadIdx.x] = v;
}

//@ mask_without_the_caller : missing-mask-lanes
__global__ void mask_without_the_caller(int* x, int* y, int n) {
  y[threadIdx.x] = __shfl_sync(0x0000ffff, x[threadIdx.x], 0);  //!
}

//@ ballot_half_mask : missing-mask-lanes
__global__ void ballot_half_mask(int* x, int* y, int n) {
  y[threadIdx.x] = __ballot_sync(0x00ffffff, x[threadIdx.x] & 1);  //!
}

//@ ballot_in_a_branch : missing-mask-lanes
__global__ void ballot_in_a_branch(int* x, int* y, int n) {
  int v = 0;
  if (x[threadIdx.x] > 12) v = __ballot_sync(kAll, threadIdx.x & 2);  //!
  y[threadIdx.x] = v;
}

//@ any_in_a_loop : missing-mask-lanes
__global__ void any_in_a_loop(int* x, int* y, int n) {
  int rounds = 0;
  for (int k = 0; k < threadIdx.x; ++k) {
    if (__any_sync(kAll, k > 40)) break;  //!
    ++rounds;
  }
  y[threadIdx.x] = rounds;
}

//@ all_after_return : missing-mask-lanes
__global__ void all_after_return(int* x, int* y, int n) {
  int v = 2;
  if (threadIdx.x >= 30) v = 3;
  else v = __all_sync(kAll, x[threadIdx.x] < 100);  //!
  y[threadIdx.x] = v;
}

//@ reduce_add : missing-mask-lanes
__global__ void reduce_add(int* x, int* y, int n) {
  int v = 0;
  if (threadIdx.x % 4) v = __reduce_add_sync(kAll, x[threadIdx.x]);  //!
  y[threadIdx.x] = v;
}

//@ reduce_max_mask : missing-mask-lanes
__global__ void reduce_max_mask(int* x, int* y, int n) {
  y[threadIdx.x] = __reduce_max_sync(0xfffffffe, x[threadIdx.x]);  //!
}

//@ match_any : missing-mask-lanes
__global__ void match_any(int* x, int* y, int n) {
  int v = 0;
  if (threadIdx.x < 20) v = __match_any_sync(kAll, x[threadIdx.x] & 3);  //!
  y[threadIdx.x] = v;
}

//@ match_all : missing-mask-lanes
__global__ void match_all(int* x, int* y, int n) {
  int v = 0, predicate;
  if (threadIdx.x != 0) v = __match_all_sync(kAll, x[threadIdx.x] & 1, &predicate);  //!
  y[threadIdx.x] = v;
}

//@ syncwarp_in_a_branch : missing-mask-lanes
__global__ void syncwarp_in_a_branch(int* x, int* y, int n) {
  if (threadIdx.x < 8) {
    y[threadIdx.x] = 1;
    __syncwarp();  //!
    y[threadIdx.x + 8] = 2;
  }
  x[threadIdx.x] = 4;
}

//@ syncwarp_mask : missing-mask-lanes
__global__ void syncwarp_mask(int* x, int* y, int n) {
  y[threadIdx.x] = 1;
  __syncwarp(0x7fffffff);  //!
  x[threadIdx.x] = 4;
}

//@ stale_ballot : missing-mask-lanes
__global__ void stale_ballot(int* x, int* y, int n) {
  unsigned mask = __ballot_sync(kAll, threadIdx.x < 20);
  int v = x[threadIdx.x];
  if (threadIdx.x < 10) v = __shfl_sync(mask, v, 0);  //!
  y[threadIdx.x] = v;
}

//@ tree_with_shrinking_lanes : missing-mask-lanes
__global__ void tree_with_shrinking_lanes(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  for (int k = 16; k; k >>= 1)
    if (threadIdx.x < k * 2) v += __shfl_down_sync(kAll, v, k);  //!
  y[threadIdx.x] = v;
}

//@ computed_mask block=64 : missing-mask-lanes
__global__ void computed_mask(int* x, int* y, int n) {
  unsigned mask = (1u << (threadIdx.x / 2 % 16)) - 1;
  y[threadIdx.x] = __shfl_sync(mask | 1, x[threadIdx.x], 0);  //!
}

//@ both_sides : missing-mask-lanes
__global__ void both_sides(int* x, int* y, int n) {
  int v = x[threadIdx.x];
  if (threadIdx.x < 16) v = __shfl_xor_sync(kAll, v, 1) + 1;  //!
  else v = __shfl_xor_sync(kAll, v, 2) + 2;  //!
  y[threadIdx.x] = v;
}
