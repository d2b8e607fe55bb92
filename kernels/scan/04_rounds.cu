// One pass in rounds: of each round, a resident block takes a slab, which the copy engine has brought into shared memory rounds ahead.
// A block shows the sum of its slab a round before it needs the sums of the others, so that nobody waits for them, and adds up all
// of a round: what came before the next one, without a chain from slab to slab. It asks for the sums before it adds up its next slab.
// Slabs are cut so that the last round is as full as the others, at multiples of 128 bytes.
// A sum lies beside a tag of its launch and round, so that nothing has to be cleared: `epoch` counts launches.
// Four rounds of sums are enough: who shows one of round r has seen all of round r - 2, whose blocks have read all of round r - 4.
#include "../common/hopper.cuh"

constexpr int kThreads = THREADS, kWarps = kThreads / 32, kVectors = VECTORS, kStages = 3, kSums = 4;
constexpr int kSlab = kThreads * kVectors, kLine = 8;  // float4: the most of a slab, and of 128 bytes
constexpr unsigned kRoundBits = 12;

/// Several at once, so that shuffles of one do not wait for those of another.
template <int kCount>
DEVICE void warp_scans(float (&v)[kCount]) {
  for (int step = 1; step < 32; step *= 2)
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const float before = __shfl_up_sync(~0u, v[k], step);
      if (threadIdx.x % 32 >= step) v[k] += before;
    }
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
  int n4, per, slabs;  // per: elements of a slab
  unsigned epoch;

  static __device__ int first() { return threadIdx.x / 32 * 32 * kVectors + threadIdx.x % 32; }  // a warp's elements lie together
  __device__ int slab_of(int round) const { return round * gridDim.x + blockIdx.x; }
  __device__ int count_of(int round) const { return max(0, min(per, n4 - slab_of(round) * per)); }
  __device__ unsigned tag(int round) const { return epoch << kRoundBits | (round + 1); }

  __device__ void load(int round) const {
    const int count = count_of(round), stage = round % kStages;
    if (count == 0) return;
    barrier_expect(&parts.full[stage], count * 16);
    bulk_load(ring + stage * kSlab, x + (size_t)slab_of(round) * per, count * 16, &parts.full[stage]);
  }

  /// Waits for this round's slab and shows its sum. All threads meet here.
  __device__ void show(int round) const {
    const int count = count_of(round), lane = threadIdx.x % 32;
    const float4* slab = ring + round % kStages * kSlab;
    float sum = 0;
    if (count > 0) barrier_wait(&parts.full[round % kStages], round / kStages & 1);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      const int at = first() + 32 * k;
      if (at >= count) continue;
      const float4 v = slab[at];
      sum += (v.x + v.y) + (v.z + v.w);
    }
    sum = warp_sum(sum);
    if (lane == 0) parts.slab[round % 2][threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32 || count == 0) return;
    sum = warp_sum(lane < kWarps ? parts.slab[round % 2][lane] : 0);
    if (lane == 0) sums[round % kSums * gridDim.x + blockIdx.x] = (unsigned long long)tag(round) << 32 | __float_as_uint(sum);
  }

  /// What block `threadIdx.x` has shown of the round, perhaps nothing yet.
  __device__ unsigned long long peek(int round) const {
    return threadIdx.x < shown_in(round) ? sums[round % kSums * gridDim.x + threadIdx.x] : 0;
  }
  __device__ int shown_in(int round) const { return min((int)gridDim.x, slabs - round * (int)gridDim.x); }

  /// Sums of the round's slabs before this one, and of all, a warp's share each; `seen`: what peek() gave.
  __device__ void gather(int round, unsigned long long seen) const {
    const bool mine = threadIdx.x < shown_in(round);
    while (mine && seen >> 32 != tag(round)) seen = peek(round);
    const float sum = mine ? __uint_as_float((unsigned)seen) : 0;
    const float before = warp_sum(threadIdx.x < blockIdx.x ? sum : 0), all = warp_sum(sum);
    if (threadIdx.x % 32 == 0) parts.before[threadIdx.x / 32] = before, parts.round[threadIdx.x / 32] = all;
  }

  /// The round's slab, scanned and written; gives what comes before the next round's slabs.
  __device__ float write(int round, int gathering, float base, bool more) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = count_of(round);
    const float4* slab = ring + round % kStages * kSlab;
    float4 v[kVectors];
    float up_to[kVectors], sum = 0;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      v[k] = first() + 32 * k < count ? slab[first() + 32 * k] : float4{0, 0, 0, 0};
      v[k].y += v[k].x, v[k].z += v[k].y, v[k].w += v[k].z;
      up_to[k] = v[k].w;
    }
    warp_scans(up_to);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      const float before = sum + up_to[k] - v[k].w;
      v[k].x += before, v[k].y += before, v[k].z += before, v[k].w += before;
      sum += __shfl_sync(~0u, up_to[k], 31);
    }
    if (lane == 0) parts.warps[warp] = sum;
    __syncthreads();  // the slab is in registers, and all sums are there
    if (threadIdx.x == 0 && more) load(round + kStages);
    const float mine = lane < kWarps ? parts.warps[lane] : 0;
    float warps_up_to[1] = {mine};
    warp_scans(warps_up_to);
    float before = base + __shfl_sync(~0u, warps_up_to[0] - mine, warp);
    before += warp_sum(lane < gathering ? parts.before[lane] : 0), base += warp_sum(lane < gathering ? parts.round[lane] : 0);
    float4* to = y + (size_t)slab_of(round) * per;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      const int at = first() + 32 * k;
      if (at < count) to[at] = {v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before};
    }
    return base;
  }
};

// n is a multiple of 4; the grid is resident as a whole (launched cooperatively), of at most kThreads blocks. `launches`: how many there were, and blocks done.
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    scan_rounds(const float4* x, float4* y, unsigned long long* sums, unsigned* launches, int n4) {
  extern __shared__ float4 ring[];
  __shared__ Parts parts;
  __shared__ unsigned epoch;
  if (threadIdx.x == 0) epoch = atomicAdd(&launches[0], 0);
  __syncthreads();
  const int grid = gridDim.x, rounds = (n4 + grid * kSlab - 1) / (grid * kSlab), even = (n4 + grid * rounds - 1) / (grid * rounds);
  const int per = min(kSlab, (even + kLine - 1) / kLine * kLine), gathering = min(kWarps, (grid + 31) / 32);
  const Scan scan{x, y, ring, sums, parts, n4, per, (n4 + per - 1) / per, epoch};
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) barrier_init(&parts.full[i], 1);
    barrier_init_fence();
    for (int i = 0; i < kStages; ++i) scan.load(i);
  }
  __syncthreads();
  scan.show(0);
  float base = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned long long seen = scan.peek(round);
    scan.show(round + 1);
    if (threadIdx.x / 32 < gathering) scan.gather(round, seen);
    base = scan.write(round, gathering, base, round + kStages < rounds);
  }
  if (threadIdx.x > 0 || atomicAdd(&launches[1], 1) < gridDim.x - 1) return;
  atomicExch(&launches[1], 0);
  atomicAdd(&launches[0], 1);
}
