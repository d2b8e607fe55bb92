// One pass in rounds: of each round, a resident block takes a slab, which the copy engine has brought into shared memory rounds ahead.
// A block shows the sum of its slab a round before it needs the sums of the others, so that nobody waits for them, and adds up all
// of a round: what came before the next one, without a chain from slab to slab.
// A sum lies beside a tag of its launch and round, so that nothing has to be cleared: `epoch` counts launches.
// Four rounds of sums are enough: who shows one of round r has seen all of round r - 2, whose blocks have read all of round r - 4.
#include "../common/hopper.cuh"

constexpr int kThreads = THREADS, kWarps = kThreads / 32, kVectors = VECTORS, kStages = 3, kSums = 4;
constexpr int kSlab = kThreads * kVectors;  // float4
constexpr unsigned kRoundBits = 12;

DEVICE float warp_scan(float v) {
  for (int step = 1; step < 32; step *= 2) {
    const float before = __shfl_up_sync(~0u, v, step);
    if (threadIdx.x % 32 >= step) v += before;
  }
  return v;
}

DEVICE float warp_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  return v;
}

struct Parts {
  float slab[2][kWarps];                      // of this block's slab, a warp each; rounds take turns
  float warps[kWarps];                        // sums of warps in the slab that is written
  float before[kWarps], round[kWarps];        // sums of other slabs
  uint64_t full[kStages];
};

struct Scan {
  const float4* x;
  float4* y;
  float4* ring;
  volatile unsigned long long* sums;
  Parts& parts;
  int n4, slabs;
  unsigned epoch;

  static __device__ int first() { return threadIdx.x / 32 * 32 * kVectors + threadIdx.x % 32; }  // a warp's elements lie together
  __device__ int slab_of(int round) const { return round * gridDim.x + blockIdx.x; }
  __device__ unsigned tag(int round) const { return epoch << kRoundBits | (round + 1); }

  __device__ void load(int round) const {
    const int slab = slab_of(round), stage = round % kStages;
    if (slab >= slabs) return;
    const int bytes = min(kSlab, n4 - slab * kSlab) * 16;
    barrier_expect(&parts.full[stage], bytes);
    bulk_load(ring + stage * kSlab, x + (size_t)slab * kSlab, bytes, &parts.full[stage]);
  }

  __device__ float4 element(int round, int k) const {
    const int at = first() + 32 * k;
    return slab_of(round) * kSlab + at < n4 ? ring[round % kStages * kSlab + at] : float4{0, 0, 0, 0};
  }

  /// Waits for this round's slab and shows its sum. All threads meet here.
  __device__ void show(int round) const {
    const int slab = slab_of(round), lane = threadIdx.x % 32;
    float sum = 0;
    if (slab < slabs) {
      barrier_wait(&parts.full[round % kStages], round / kStages & 1);
#pragma unroll
      for (int k = 0; k < kVectors; ++k) {
        const float4 v = element(round, k);
        sum += (v.x + v.y) + (v.z + v.w);
      }
    }
    sum = warp_sum(sum);
    if (lane == 0) parts.slab[round % 2][threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32 || slab >= slabs) return;
    sum = warp_sum(lane < kWarps ? parts.slab[round % 2][lane] : 0);
    if (lane == 0) sums[round % kSums * gridDim.x + blockIdx.x] = (unsigned long long)tag(round) << 32 | __float_as_uint(sum);
  }

  /// Sums of the round's slabs before this one, and of all, a warp's share each.
  __device__ void gather(int round) const {
    const int here = min((int)gridDim.x, slabs - round * (int)gridDim.x);
    float before = 0, all = 0;
    for (int i = threadIdx.x; i < here; i += kThreads) {
      unsigned long long seen;
      do seen = sums[round % kSums * gridDim.x + i];
      while (seen >> 32 != tag(round));
      const float sum = __uint_as_float((unsigned)seen);
      if (i < blockIdx.x) before += sum;
      all += sum;
    }
    before = warp_sum(before), all = warp_sum(all);
    if (threadIdx.x % 32 == 0) parts.before[threadIdx.x / 32] = before, parts.round[threadIdx.x / 32] = all;
  }

  /// The round's slab, scanned and written; gives what comes before the next round's slabs.
  __device__ float write(int round, int gathering, float base, bool more) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float4 v[kVectors];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      v[k] = element(round, k);
      v[k].y += v[k].x, v[k].z += v[k].y, v[k].w += v[k].z;
      const float up_to = warp_scan(v[k].w), before = sum + up_to - v[k].w;
      v[k].x += before, v[k].y += before, v[k].z += before, v[k].w += before;
      sum += __shfl_sync(~0u, up_to, 31);
    }
    if (lane == 0) parts.warps[warp] = sum;
    __syncthreads();  // the slab is in registers, and all sums are there
    if (threadIdx.x == 0 && more) load(round + kStages);
    const float mine = lane < kWarps ? parts.warps[lane] : 0, up_to = warp_scan(mine);
    float before = base + __shfl_sync(~0u, up_to - mine, warp);
    for (int i = 0; i < gathering; ++i) before += parts.before[i], base += parts.round[i];
    float4* to = y + (size_t)slab_of(round) * kSlab;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      const int at = first() + 32 * k;
      if (slab_of(round) * kSlab + at < n4) to[at] = {v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before};
    }
    return base;
  }
};

// n is a multiple of 4; the grid is resident as a whole (launched cooperatively). `launches`: how many there were, and blocks done.
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    scan_rounds(const float4* x, float4* y, unsigned long long* sums, unsigned* launches, int n4) {
  extern __shared__ float4 ring[];
  __shared__ Parts parts;
  __shared__ unsigned epoch;
  if (threadIdx.x == 0) epoch = atomicAdd(&launches[0], 0);
  __syncthreads();
  const Scan scan{x, y, ring, sums, parts, n4, (n4 + kSlab - 1) / kSlab, epoch};
  const int rounds = (scan.slabs + gridDim.x - 1) / gridDim.x, gathering = min(kWarps, (int)(gridDim.x + 31) / 32);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) barrier_init(&parts.full[i], 1);
    barrier_init_fence();
    for (int i = 0; i < kStages; ++i) scan.load(i);
  }
  __syncthreads();
  scan.show(0);
  float base = 0;
  for (int round = 0; round < rounds; ++round) {
    scan.show(round + 1);
    if (threadIdx.x / 32 < gathering) scan.gather(round);
    base = scan.write(round, gathering, base, round + kStages < rounds);
  }
  if (threadIdx.x > 0 || atomicAdd(&launches[1], 1) < gridDim.x - 1) return;
  atomicExch(&launches[1], 0);
  atomicAdd(&launches[0], 1);
}
