// Groups of threads whose masks differ in one instruction, and tiles of several warps. Each lane's result is compared
// with one that the host computes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

constexpr int kThreads = 256;
int wrong = 0;

void expect(int got, int want, const char* what, int thread) {
  if (got == want || wrong++ > 9) return;
  std::printf("%s, thread %d: %d, not %d\n", what, thread, got, want);
}

/// Eight lanes a mask: votes, matches, shuffles and reductions stay among them.
__global__ void masks(int* out) {
  const int t = threadIdx.x;
  const unsigned mask = 0xffu << (t / 8 * 8);
  int* own = out + t * 6;
  own[0] = __ballot_sync(mask, t % 3 == 0) & mask;
  own[1] = (__any_sync(mask, t == 17) ? 1 : 0) + (__all_sync(mask, t < 16) ? 2 : 0);
  own[2] = __reduce_add_sync(mask, t);
  own[3] = __match_any_sync(mask, t % 2);
  own[4] = __shfl_sync(mask, t, t / 8 * 8 + 1);
  own[5] = __reduce_max_sync(mask, t);
}

void check_masks(int* device, int* host) {
  masks<<<1, 32>>>(device);
  cudaMemcpy(host, device, 32 * 6 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) {
    const int first = t / 8 * 8;
    int ballot = 0, alike = 0, sum = 0;
    for (int k = first; k < first + 8; ++k) {
      ballot |= (k % 3 == 0) << k;
      alike |= (k % 2 == t % 2) << k;
      sum += k;
    }
    const int want[] = {ballot, (first == 16) + 2 * (first < 16), sum, alike, first + 1, first + 7};
    for (int k = 0; k < 6; ++k) expect(host[t * 6 + k], want[k], "masks", t);
  }
}

template <int kSize>
__global__ void tiles(int* out) {
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  const int t = threadIdx.x;
  out[t] = cg::reduce(tile, t * 7 % 31, cg::less<int>());
  out[t + kThreads] = cg::inclusive_scan(tile, t);
}

template <int kSize>
void check_tiles(int* device, int* host) {
  tiles<kSize><<<1, kThreads>>>(device);
  cudaMemcpy(host, device, 2 * kThreads * sizeof(int), cudaMemcpyDeviceToHost);
  for (int t = 0; t < kThreads; ++t) {
    int least = 31, sum = 0;
    for (int k = t / kSize * kSize; k < t / kSize * kSize + kSize; ++k) {
      least = k * 7 % 31 < least ? k * 7 % 31 : least;
      if (k <= t) sum += k;
    }
    expect(host[t], least, "the least of a tile", t);
    expect(host[t + kThreads], sum, "the sum up to a thread", t);
  }
}

/// Tiles of four warps, which talk through shared memory that the system reserves; `own` must stay as it is.
__global__ void large_tiles(int* out) {
  __shared__ int own[kThreads];
  const int t = threadIdx.x;
  own[t] = 1000 + t;
  __shared__ cg::block_tile_memory<kThreads> scratch;
  const auto block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<128>(block);
  out[t] = cg::reduce(tile, t, cg::plus<int>());
  out[t + kThreads] = tile.shfl(t, 5);
  tile.sync();
  out[t + 2 * kThreads] = own[t];
}

void check_large_tiles(int* device, int* host) {
  large_tiles<<<2, kThreads>>>(device);
  cudaMemcpy(host, device, 3 * kThreads * sizeof(int), cudaMemcpyDeviceToHost);
  for (int t = 0; t < kThreads; ++t) {
    const int first = t / 128 * 128;
    expect(host[t], (first + first + 127) * 64, "the sum of four warps", t);
    expect(host[t + kThreads], first + 5, "a value of another warp", t);
    expect(host[t + 2 * kThreads], 1000 + t, "the block's own shared memory", t);
  }
}

int main() {
  int *device = nullptr, *host = static_cast<int*>(std::malloc(3 * kThreads * sizeof(int)));
  cudaMalloc(&device, 3 * kThreads * sizeof(int));
  check_masks(device, host);
  check_tiles<4>(device, host);
  check_tiles<8>(device, host);
  check_tiles<16>(device, host);
  check_tiles<32>(device, host);
  check_large_tiles(device, host);
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(device);
  std::free(host);
  return wrong != 0;
}
