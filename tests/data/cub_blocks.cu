// Kernels made of CUB's block-wide primitives, each algorithm a template instance. Blocks of 96 threads with 4 items
// each (the last warp is whole, the count of warps is no power of two) unless a kernel says otherwise.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int kThreads = 96, kItems = 4, kTile = kThreads * kItems;

struct Larger {
  template <typename T>
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

/// y[2 b] = sum, y[2 b + 1] = maximum of the block's first `valid` items.
template <int kAlgorithm, int kBlock, typename T>
__global__ void reduce(const T* x, T* y, int valid) {
  using Reduce = cub::BlockReduce<T, kBlock, static_cast<cub::BlockReduceAlgorithm>(kAlgorithm)>;
  __shared__ typename Reduce::TempStorage storage;
  const T item = x[blockIdx.x * kBlock + threadIdx.x];
  const T sum = Reduce(storage).Sum(item, valid);
  __syncthreads();
  const T most = Reduce(storage).Reduce(item, Larger(), valid);
  if (threadIdx.x == 0) y[2 * blockIdx.x] = sum, y[2 * blockIdx.x + 1] = most;
}

/// y = exclusive sums of the tile, z = inclusive maxima, total[b] = sum.
template <int kAlgorithm>
__global__ void scan(const int* x, int* y, int* z, int* total) {
  using Scan = cub::BlockScan<int, kThreads, static_cast<cub::BlockScanAlgorithm>(kAlgorithm)>;
  __shared__ typename Scan::TempStorage storage;
  int items[kItems], sums[kItems], most[kItems], sum;
  const int first = blockIdx.x * kTile + threadIdx.x * kItems;
  for (int i = 0; i < kItems; ++i) items[i] = x[first + i];
  Scan(storage).ExclusiveSum(items, sums, sum);
  __syncthreads();
  Scan(storage).InclusiveScan(items, most, Larger());
  for (int i = 0; i < kItems; ++i) y[first + i] = sums[i], z[first + i] = most[i];
  if (threadIdx.x == 0) total[blockIdx.x] = sum;
}

/// Keys with their places as values; ascending and stable, or descending and striped.
template <typename T, int kBits, bool kDescending>
__global__ void radix_sort(const T* x, T* keys_out, int* values_out) {
  using Sort = cub::BlockRadixSort<T, kThreads, kItems, int, kBits>;
  __shared__ typename Sort::TempStorage storage;
  T keys[kItems];
  int values[kItems];
  const int first = blockIdx.x * kTile;
  for (int i = 0; i < kItems; ++i) {
    values[i] = threadIdx.x * kItems + i;
    keys[i] = x[first + values[i]];
  }
  if (kDescending) Sort(storage).SortDescendingBlockedToStriped(keys, values);
  else Sort(storage).Sort(keys, values);
  for (int i = 0; i < kItems; ++i) {
    const int at = first + (kDescending ? i * kThreads + threadIdx.x : threadIdx.x * kItems + i);
    keys_out[at] = keys[i], values_out[at] = values[i];
  }
}

template <bool kDescending>
struct Less {
  __device__ bool operator()(int a, int b) const { return kDescending ? b < a : a < b; }
};
/// Blocks of 64 threads.
template <bool kDescending>
__global__ void merge_sort(const int* x, int* y) {
  using Sort = cub::BlockMergeSort<int, 64, kItems>;
  __shared__ typename Sort::TempStorage storage;
  int keys[kItems];
  const int first = (blockIdx.x * 64 + threadIdx.x) * kItems;
  for (int i = 0; i < kItems; ++i) keys[i] = x[first + i];
  Sort(storage).Sort(keys, Less<kDescending>());
  for (int i = 0; i < kItems; ++i) y[first + i] = keys[i];
}

/// y[b] = x[b] by way of a load and a store of the named algorithms; items from `valid` on keep what y holds.
template <int kLoad, int kStore, typename T>
__global__ void load_store(const T* x, T* y, int valid) {
  using Load = cub::BlockLoad<T, kThreads, kItems, static_cast<cub::BlockLoadAlgorithm>(kLoad)>;
  using Store = cub::BlockStore<T, kThreads, kItems, static_cast<cub::BlockStoreAlgorithm>(kStore)>;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } storage;
  T items[kItems];
  const int first = blockIdx.x * kTile;
  if (valid >= kTile) Load(storage.load).Load(x + first, items);
  else Load(storage.load).Load(x + first, items, valid, T(0));
  __syncthreads();
  if (valid >= kTile) Store(storage.store).Store(y + first, items);
  else Store(storage.store).Store(y + first, items, valid);
}

/// y = each thread's items, thread after thread, after the exchange; scatter sends item i of thread t to `to`.
template <int kKind, bool kSliced>
__global__ void exchange(const int* x, const int* to, int* y) {
  using Exchange = cub::BlockExchange<int, kThreads, kItems, kSliced>;
  __shared__ typename Exchange::TempStorage storage;
  int items[kItems], ranks[kItems];
  const int first = blockIdx.x * kTile + threadIdx.x * kItems;
  for (int i = 0; i < kItems; ++i) items[i] = x[first + i], ranks[i] = to[threadIdx.x * kItems + i];
  Exchange e(storage);
  if (kKind == 0) e.StripedToBlocked(items, items);
  if (kKind == 1) e.BlockedToStriped(items, items);
  if (kKind == 2) e.WarpStripedToBlocked(items, items);
  if (kKind == 3) e.BlockedToWarpStriped(items, items);
  if (kKind == 4) e.ScatterToBlocked(items, items, ranks);
  if (kKind == 5) e.ScatterToStriped(items, items, ranks);
  for (int i = 0; i < kItems; ++i) y[first + i] = items[i];
}

template <int kAlgorithm>
__global__ void histogram(const unsigned char* x, unsigned* y) {
  using Histogram = cub::BlockHistogram<unsigned char, kThreads, kItems, 64, static_cast<cub::BlockHistogramAlgorithm>(kAlgorithm)>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ unsigned bins[64];
  unsigned char items[kItems];
  for (int i = 0; i < kItems; ++i) items[i] = x[blockIdx.x * kTile + threadIdx.x * kItems + i] & 63;
  Histogram(storage).Histogram(items, bins);
  __syncthreads();
  if (threadIdx.x < 64) y[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
}

struct Differs {
  __device__ bool operator()(int a, int b) const { return a != b; }
};
struct Minus {
  __device__ int operator()(int a, int b) const { return a - b; }
};
/// heads[i] = item i differs from the one before; y = differences to the item before.
__global__ void neighbours(const int* x, int* heads, int* y) {
  using Heads = cub::BlockDiscontinuity<int, kThreads>;
  using Differences = cub::BlockAdjacentDifference<int, kThreads>;
  __shared__ union { typename Heads::TempStorage heads; typename Differences::TempStorage differences; } storage;
  int items[kItems], flags[kItems], steps[kItems];
  const int first = blockIdx.x * kTile + threadIdx.x * kItems;
  for (int i = 0; i < kItems; ++i) items[i] = x[first + i];
  Heads(storage.heads).FlagHeads(flags, items, Differs());
  __syncthreads();
  Differences(storage.differences).SubtractLeft(items, steps, Minus());
  for (int i = 0; i < kItems; ++i) heads[first + i] = flags[i], y[first + i] = steps[i];
}

/// Sums of groups of kWidth lanes, and their inclusive sums.
template <int kWidth>
__global__ void warp_sums(const int* x, int* sums, int* scans) {
  using Reduce = cub::WarpReduce<int, kWidth>;
  using Scan = cub::WarpScan<int, kWidth>;
  __shared__ typename Reduce::TempStorage reduce_storage[kThreads / kWidth];
  __shared__ typename Scan::TempStorage scan_storage[kThreads / kWidth];
  const int at = blockIdx.x * kThreads + threadIdx.x, group = threadIdx.x / kWidth;
  int scanned;
  const int sum = Reduce(reduce_storage[group]).Sum(x[at]);
  Scan(scan_storage[group]).InclusiveSum(x[at], scanned);
  if (threadIdx.x % kWidth == 0) sums[at / kWidth] = sum;
  scans[at] = scanned;
}
