// Locks that threads spin for: one taken by single threads, one with tickets taken by blocks.
extern "C" {

// Every thread adds to a counter under its lock. The lanes of a warp compete for locks too, so each does its work
// inside the loop that tries: waiting in a loop of its own would keep the winner from going on before Volta.
__global__ void count_locked(int* locks, int* counters, int buckets) {
  int bucket = threadIdx.x % buckets;
  for (bool done = false; !done;) {
    if (atomicCAS(&locks[bucket], 0, 1) == 0) {
      __threadfence();
      volatile int* counter = &counters[bucket];
      *counter = *counter + 1;
      __threadfence();
      atomicExch(&locks[bucket], 0);
      done = true;
    }
  }
}

// Blocks append their number to a list, first come, first served; then each bumps every entry so far.
__global__ void append_in_turn(unsigned* ticket, volatile unsigned* serving, volatile unsigned* list) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) {
    mine = atomicAdd(ticket, 1);
    while (*serving != mine) __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) list[mine] = 0;
  __syncthreads();
  for (unsigned k = threadIdx.x; k <= mine; k += blockDim.x) list[k] = list[k] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *serving = mine + 1;
}
}  // extern "C"
