// Histograms: lanes that hit the same bin add once; bins in shared memory before those in global memory.
extern "C" {

__global__ void histogram(const unsigned char* values, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned value = values[i], active = __activemask();
    unsigned same = __match_any_sync(active, value);
    if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&mine[value], __popc(same));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b] != 0) atomicAdd(&bins[b], mine[b]);
}

__global__ void histogram_plain(const unsigned char* values, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[values[i]], 1u);
}
}  // extern "C"
