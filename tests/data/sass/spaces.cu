// Addresses of every state space, generic and not, and what a launch says of its shared memory.
#include <stdint.h>

__constant__ uint32_t first_table[24] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4};
__constant__ uint8_t second_table[40] = {11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};
__device__ uint32_t global_table[32] = {101, 103, 107, 109};

// Shared memory of a launch, by the registers that tell of it.
extern "C" __global__ void sizes(uint32_t* out) {
  __shared__ uint32_t own[77];
  extern __shared__ uint32_t dynamic[];
  own[threadIdx.x % 77] = threadIdx.x;
  __syncthreads();
  uint32_t dynamic_bytes, total_bytes, aggregate_bytes = 0;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic_bytes));
  asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(total_bytes));
#if __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%aggr_smem_size;" : "=r"(aggregate_bytes));
#endif
  if (threadIdx.x < dynamic_bytes / 4) dynamic[threadIdx.x] = own[threadIdx.x % 77];
  __syncthreads();
  const uint32_t at = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  out[at] = dynamic_bytes;
  out[at + 1] = total_bytes;
  out[at + 2] = aggregate_bytes;
  out[at + 3] = dynamic_bytes / 4 > 3 ? dynamic[3] : 7;
}

// A pointer that each thread has to another space.
extern "C" __global__ void mixed_spaces(uint32_t* out, const uint32_t* in, uint32_t n) {
  __shared__ uint32_t shared[64];
  uint32_t local[24];
  if (threadIdx.x < 64) shared[threadIdx.x] = in[threadIdx.x] ^ 0x5555;
  for (uint32_t i = 0; i < 24; ++i) local[i] = in[(i * n + threadIdx.x) % 64];
  __syncthreads();
  uint32_t sum = 0;
  for (uint32_t round = 0; round < 5; ++round) {
    const uint32_t which = (threadIdx.x + round) % 5, i = (threadIdx.x * 7 + round * n) % 20;
    const uint32_t* from = which == 0   ? first_table + 2
                           : which == 1 ? shared + 4
                           : which == 2 ? local + 2
                           : which == 3 ? global_table + 3
                                        : in + 9;
    asm volatile("" : "+l"(from));
    sum = sum * 31 + from[i] + from[i + 2] * 3 + from[int(i) - 2] * 5;
    const uint16_t* halves = reinterpret_cast<const uint16_t*>(from);
    sum += halves[2 * i + 1] * 7 + uint32_t(int8_t(reinterpret_cast<const uint8_t*>(from)[4 * i + 3]));
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Stores of every width at offsets through generic pointers to global and shared memory.
extern "C" __global__ void generic_stores(uint32_t* out, const uint32_t* in, uint32_t n) {
  __shared__ __align__(16) uint32_t shared[16 * 64];
  uint32_t* own = shared + 16 * (threadIdx.x % 64);
  for (uint32_t i = 0; i < 16; ++i) own[i] = i;
  uint32_t* result = out + 16 * (blockIdx.x * blockDim.x + threadIdx.x);
  uint32_t* to = (threadIdx.x + n) % 3 ? own : result;
  asm volatile("" : "+l"(to));
  const uint32_t v = in[threadIdx.x % 64];
  to[1] = v;
  reinterpret_cast<uint8_t*>(to)[9] = uint8_t(v >> 8);
  reinterpret_cast<uint16_t*>(to)[7] = uint16_t(v);
  reinterpret_cast<uint64_t*>(to)[2] = uint64_t{v} * 0x100000001u;
  *reinterpret_cast<uint4*>(to + 8) = make_uint4(v, v + 1, v + 2, v + 3);
  to += 14;
  asm volatile("" : "+l"(to));
  to[-1] = v * 3;
  to[1] = v * 5;
  if (to != result + 14) {
    for (uint32_t i = 0; i < 16; ++i) result[i] = own[i];
  }
}

// The address of constant memory itself is the GPU's business; what lies there is not.
extern "C" __global__ void constant_bytes(uint32_t* out, uint32_t n) {
  const uint8_t* from = threadIdx.x % 2 ? second_table : reinterpret_cast<const uint8_t*>(first_table);
  asm volatile("" : "+l"(from));
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 16; ++i) sum = sum * 33 + from[(i * n + threadIdx.x) % 40];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Other blocks' shared memory by 32-bit addresses, in every width and with offsets.
extern "C" __global__ void cluster_windows(uint32_t* out, const uint32_t* in) {
#if __CUDA_ARCH__ >= 900
  __shared__ __align__(16) uint32_t shared[16 * 64];
  const uint32_t tid = threadIdx.x;
  uint32_t rank, ranks, there;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(ranks));
  for (uint32_t i = 0; i < 16; ++i) shared[16 * tid + i] = i * 0x01010101;
  const uint32_t mine = uint32_t(__cvta_generic_to_shared(shared + 16 * tid));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"((rank + 1) % ranks));
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  const uint32_t v = 1000 * (rank + 1) + tid, w = in[tid % 64];
  asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(there), "r"(v) : "memory");
  asm volatile("st.shared::cluster.b8 [%0+5], %1;" ::"r"(there), "r"(w) : "memory");
  asm volatile("st.shared::cluster.b16 [%0+6], %1;" ::"r"(there), "h"(uint16_t(w)) : "memory");
  asm volatile("st.shared::cluster.b64 [%0+8], %1;" ::"r"(there), "l"(uint64_t{w} * 0x300000001u) : "memory");
  asm volatile("st.shared::cluster.v4.b32 [%0+16], {%1, %2, %3, %4};" ::"r"(there), "r"(v), "r"(w), "r"(tid), "r"(rank)
               : "memory");
  asm volatile("st.shared::cluster.v2.b32 [%0+-8], {%1, %2};" ::"r"(there + 40), "r"(w), "r"(v) : "memory");
  asm volatile("{.reg .pred p; setp.gt.u32 p, %2, 40; @p st.shared::cluster.b32 [%0+40], %1;}" ::"r"(there), "r"(w), "r"(tid)
               : "memory");
  asm volatile("st.shared::cluster.b32 [%0+44], 7;" ::"r"(there) : "memory");
  asm volatile("st.relaxed.cluster.shared::cluster.b32 [%0+48], %1;" ::"r"(there), "r"(v ^ w) : "memory");
  asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0+52], %1;" ::"r"(there), "r"(v) : "memory");
  uint32_t before, swapped, narrow, wide_low;
  asm volatile("atom.shared::cluster.exch.b32 %0, [%1+56], %2;" : "=r"(before) : "r"(there), "r"(w) : "memory");
  asm volatile("atom.shared::cluster.cas.b32 %0, [%1+60], %2, %3;" : "=r"(swapped) : "r"(there), "r"(0x0f0f0f0f), "r"(v)
               : "memory");
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("ld.shared::cluster.s8 %0, [%1+5];" : "=r"(narrow) : "r"(there));
  asm volatile("{.reg .b64 d; ld.shared::cluster.b64 d, [%1+8]; cvt.u32.u64 %0, d;}" : "=r"(wide_low) : "r"(there));
  uint32_t* result = out + 20 * (blockIdx.x * blockDim.x + tid);
  for (uint32_t i = 0; i < 16; ++i) result[i] = shared[16 * tid + i];
  result[16] = before;
  result[17] = swapped;
  result[18] = narrow;
  result[19] = wide_low;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
#else
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x % 64];
#endif
}
