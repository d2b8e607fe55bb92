// Defects and results that depend on the order of blocks and warps: one order hides them, another shows them.
__device__ int next_ticket;

//@ late_block_reads_far grid=4 block=1 n=64 : clean
//@ late_block_reads_far grid=4 block=1 n=64 schedule=reversed : out-of-bounds
__global__ void late_block_reads_far(int* x, int* y, int n) {  // the first ticket goes to block 0 in order only
  int ticket = atomicAdd(&y[60], 1);
  int distance = blockIdx.x - ticket;
  if (distance > 2) y[n + distance] = 1;  //!
}

//@ last_warp_first block=128 : clean
//@ last_warp_first block=128 schedule=reversed : out-of-bounds
__global__ void last_warp_first(int* x, int* y, int n) {
  if (threadIdx.x % 32) return;
  if (atomicAdd(&y[100], 1) == 0 && threadIdx.x >= 96) y[n] = 1;  //!
}

//@ some_order grid=16 block=1 : clean
//@ some_order grid=16 block=1 schedule=random:1 : out-of-bounds
//@ some_order grid=16 block=1 schedule=random:2 : out-of-bounds
//@ some_order grid=16 block=1 schedule=random:3 : out-of-bounds
__global__ void some_order(int* x, int* y, int n) {  // block 5 before block 4, or 9 before 8, or 13 before 12, ...
  int before = atomicOr(&y[64], 1 << blockIdx.x);
  if (blockIdx.x && !(before >> (blockIdx.x - 1) & 1)) y[n] = 1;  //!
}

//@ order_of_tickets grid=8 block=1 : clean
__global__ void order_of_tickets(int* x, int* y, int n) {
  y[atomicAdd(&y[100], 1)] = blockIdx.x + 1;
}
