// CUB's block primitives: a radix sort of pairs between transposing loads and stores, and a scan.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
constexpr int kThreads = 128, kItems = 4;

extern "C" __global__ void sort_pairs(const int* keys, int* sorted, int* places) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems, int>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } shared;
  int key[kItems], place[kItems], first = blockIdx.x * kThreads * kItems;
  Load(shared.load).Load(keys + first, key);
  for (int i = 0; i < kItems; ++i) place[i] = threadIdx.x * kItems + i;
  __syncthreads();
  Sort(shared.sort).Sort(key, place);
  __syncthreads();
  Store(shared.store).Store(sorted + first, key);
  __syncthreads();
  Store(shared.store).Store(places + first, place);
}

// Sums of the values up to each.
extern "C" __global__ void running_sums(const int* values, int* sums) {
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ typename Scan::TempStorage shared;
  int value[kItems], at = (blockIdx.x * kThreads + threadIdx.x) * kItems;
  for (int i = 0; i < kItems; ++i) value[i] = values[at + i];
  Scan(shared).InclusiveSum(value, value);
  for (int i = 0; i < kItems; ++i) sums[at + i] = value[i];
}

extern "C" __global__ void falling(int* keys) { keys[threadIdx.x] = 511 - 2 * static_cast<int>(threadIdx.x); }  // 511 to -511
