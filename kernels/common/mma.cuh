// What Ampere's tensor core kernels are made of: asynchronous copies of sixteen bytes, ldmatrix, and mma.sync of bf16.
#pragma once
#include <cuda_bf16.h>

#include <cstdint>

static __device__ __forceinline__ uint32_t address_of(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

/// Copies 16 bytes, or fills with zeros where not `valid`.
static __device__ __forceinline__ void copy_async(void* to, const void* from, bool valid = true) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address_of(to)), "l"(from), "r"(valid ? 16 : 0) : "memory");
}
static __device__ __forceinline__ void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
static __device__ __forceinline__ void copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory"); }

/// Four 8x8 tiles of 16-bit numbers from the sixteen-byte rows that lanes 0-7, 8-15, ... address.
static __device__ __forceinline__ void load_matrices(uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(address_of(row)) : "memory");
}
static __device__ __forceinline__ void load_matrices_transposed(uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(address_of(row)) : "memory");
}
/// d (16x8, fp32) += a (16x16) * b (16x8).
static __device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ __forceinline__ uint32_t pack_bf16(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(both);
}
