// Narrow formats, reductions at barriers and atomics of 64 bits: what their machine code leaves must be what the PTX leaves.
#include <cuda_fp8.h>
#include <cuda_fp16.h>
extern "C" __global__ void to_fp8(const float4* x, __nv_fp8x4_e4m3* y, __nv_fp8x4_e5m2* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = __nv_fp8x4_e4m3(x[i]); z[i] = __nv_fp8x4_e5m2(x[i]); }
}
extern "C" __global__ void from_fp8(const __nv_fp8x4_e4m3* y, const __nv_fp8x4_e5m2* z, float4* x, float4* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { x[i] = float4(y[i]); v[i] = float4(z[i]); }
}
extern "C" __global__ void bytes(const float* x, unsigned char* y, signed char* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = (unsigned char)min(max(__float2int_rn(x[i]),0),255); z[i] = (signed char)x[i]; }
}
extern "C" __global__ void pack(const int4* x, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { unsigned r; asm("{.reg .b32 t; cvt.pack.sat.u8.s32.b32 t, %2, %1, 0; cvt.pack.sat.s8.s32.b32 %0, %4, %3, t;}" : "=r"(r) : "r"(x[i].x), "r"(x[i].y), "r"(x[i].z), "r"(x[i].w)); y[i] = r; }
}
extern "C" __global__ void vabs(const uint4* x, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = __vabsdiffu4(x[i].x, x[i].y) ^ __vsads4(x[i].z, x[i].w) ^ __vabsdiffs2(x[i].x, x[i].w) ^ __vmaxs2(x[i].y,x[i].z) ^ __vminu4(x[i].z,x[i].y); }
}
extern "C" __global__ void barred(const unsigned* x, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int c = __syncthreads_count(x[i] & 1); int a = __syncthreads_and(x[i] & 6); int o = __syncthreads_or(x[i] == 5);
  y[i] = c * 4 + a * 2 + o;
}
extern "C" __global__ void red64(const long long* x, long long* y, unsigned long long* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { atomicMax(&y[i & 7], x[i]); atomicMin(&y[8 + (i & 7)], x[i]); atomicMax(&z[i & 7], (unsigned long long)x[i]); atomicMin(&z[8 + (i & 7)], (unsigned long long)x[i]); atomicAnd(&z[16+(i&7)], (unsigned long long)x[i]); }
}
