// A bitonic sort: steps within 1024 keys in shared memory, longer ones in global memory.
constexpr unsigned kKeys = 1024;  // of a block of 512 threads

__device__ void order(unsigned& a, unsigned& b, bool rising) {
  unsigned low = min(a, b), high = max(a, b);
  a = rising ? low : high, b = rising ? high : low;
}

// The compare-and-swaps of all distances below kKeys; from `first` to `last` run the lengths of the sorted stretches.
extern "C" __global__ void sort_within(unsigned* keys, unsigned first, unsigned last) {
  __shared__ unsigned mine[kKeys];
  unsigned* block = keys + blockIdx.x * kKeys;
  for (unsigned k = threadIdx.x; k < kKeys; k += blockDim.x) mine[k] = block[k];
  for (unsigned length = first; length <= last; length *= 2)
    for (unsigned distance = min(length / 2, kKeys / 2); distance > 0; distance /= 2) {
      __syncthreads();
      unsigned low = threadIdx.x / distance * 2 * distance + threadIdx.x % distance;
      order(mine[low], mine[low + distance], ((blockIdx.x * kKeys + low) & length) == 0);
    }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kKeys; k += blockDim.x) block[k] = mine[k];
}

extern "C" __global__ void sort_across(unsigned* keys, unsigned length, unsigned distance) {
  unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned low = pair / distance * 2 * distance + pair % distance;
  order(keys[low], keys[low + distance], (low & length) == 0);
}

extern "C" __global__ void shuffled(unsigned* keys, unsigned n) {  // every number below n, a power of two, once
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  keys[i] = i * 2654435761u % n;
}
