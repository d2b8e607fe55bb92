// Instructions that ordinary kernels seldom use, so that the table of SASS opcodes knows them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float* out, int x, int y) {
  out[0] = tex1Dfetch<float>(t, x) + tex2D<float>(t, x, y) + tex3D<float>(t, x, y, 1) + tex2DLod<float>(t, x, y, 2);
  float4 g = tex2Dgather<float4>(t, x, y);
  out[1] = g.x + g.y + tex2DLayered<float>(t, x, y, 3) + texCubemap<float>(t, x, y, 1);
  float v;
  surf2Dread(&v, s, x, y);
  surf2Dwrite(v + 1, s, x, y);
  surf1Dwrite(v, s, x);
  out[2] = v;
}

extern "C" __global__ void bits(unsigned* p, unsigned long long* q, int n) {
  unsigned a = p[0], b = p[1];
  p[2] = __brev(a) + __popc(b) + __clz(a) + __ffs(b) + __byte_perm(a, b, n) + __funnelshift_l(a, b, n);
  p[3] = __vadd2(a, b) + __vabsdiffu4(a, b) + __vmaxs2(a, b) + __dp4a(a, b, a) + __sad(a, b, a) + __mulhi(a, b);
  q[0] = __brevll(q[1]) + __popcll(q[2]) + q[3] / q[4] + q[5] % q[6];
  p[4] = a / b + a % b + (int)a / (int)b;
  p[5] = __match_any_sync(~0u, a);
}

extern "C" __global__ void conversions(float* f, double* d, half* h, __nv_bfloat16* b, int* i, long long* l, char* c) {
  d[0] = f[0]; f[1] = d[1]; h[0] = f[2]; f[3] = h[1]; b[0] = f[4]; f[5] = b[1]; d[2] = h[2]; h[3] = d[3];
  i[0] = f[6]; i[1] = d[4]; l[0] = f[7]; l[1] = d[5]; f[8] = i[2]; f[9] = l[2]; d[6] = i[3]; d[7] = l[3]; c[0] = f[10];
  h[4] = i[4]; i[5] = __half2int_rz(h[5]); f[11] = c[1]; f[12] = rintf(f[13]) + floorf(f[14]) + truncf(f[15]);
  d[8] = sqrt(d[9]) + 1 / d[10] + rsqrt(d[11]) + exp(d[12]) + fma(d[0], d[1], d[2]) * fmin(d[3], d[4]);
  f[16] = __sinf(f[17]) + __cosf(f[18]) + __logf(f[19]) + __expf(f[20]) + rsqrtf(f[21]) + f[22] / f[23] + sqrtf(f[24]);
  f[25] = tanhf(f[26]) + __fdividef(f[27], f[28]) + fminf(f[29], f[30]) + fmaxf(f[31], f[32]);
  h[6] = hexp(h[7]) + h2exp2(__half2half2(h[8])).x + __hmax(h[11], h[12]);
}

extern "C" __global__ void atomics(int* p, float* f, double* d, unsigned long long* q, half2* h) {
  __shared__ int s[64];
  __shared__ float sf[32];
  __shared__ unsigned long long sl[8];
  int t = threadIdx.x;
  p[0] = atomicAdd(p + t, 1) + atomicMin(p + t, 2) + atomicMax(p + t, 3) + atomicAnd(p + t, 4) + atomicOr(p + t, 5) +
         atomicXor(p + t, 6) + atomicExch(p + t, 7) + atomicCAS(p + t, 8, 9) + atomicInc((unsigned*)p + t, 3);
  f[0] = atomicAdd(f + t, 1.f); d[0] = atomicAdd(d + t, 1.0); q[0] = atomicAdd(q + t, 1ull) + atomicCAS(q + t, 1ull, 2ull);
  atomicAdd(h + t, h[0]); atomicAdd(f + t + 1, 2.f); atomicMax(p + t + 1, t); atomicAdd(q + t + 1, 3ull);
  s[t] = atomicAdd(s + (t & 3), t) + atomicCAS(s + t, 1, 2) + atomicExch(s + t, 3); atomicAdd(sf + t, 1.f);
  atomicAdd(sl + (t & 7), 1ull); __syncthreads(); p[9] = s[t ^ 1] + sf[0] + sl[1];
  __threadfence(); __threadfence_block(); __threadfence_system(); p[10] = __syncthreads_count(t) + __syncthreads_and(t);
  asm volatile("bar.sync 1, 64;\nbar.arrive 2, 128;"); __nanosleep(10); __syncwarp();
  if (__any_sync(~0u, t)) p[11] = __ballot_sync(~0u, t > 3) + __shfl_xor_sync(~0u, t, 3) + __activemask();
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void matrices(double* d, int* i, float* f) {
  double x = d[0];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=d"(d[1]), "=d"(d[2]) : "d"(x), "d"(x), "d"(x), "d"(x));
  asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%0,%0,%0}, {%0,%0,%0,%0}, {%0,%0}, {%0,%0,%0,%0};"
               : "+r"(i[0]));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%0,%0,%0}, {%0,%0,%0,%0}, {%0,%0}, {%0,%0,%0,%0};"
               : "+r"(i[1]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%0,%0,%0}, {%1,%1,%1,%1}, {%1,%1}, {%0,%0,%0,%0};"
               : "+f"(f[0]) : "r"(i[2]));
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%0,%0,%0}, {%1,%1,%1,%1}, {%1,%1,%1,%1}, "
               "{%0,%0,%0,%0}, %1, 0;" : "+f"(f[1]) : "r"(i[2]));
  asm volatile("redux.sync.add.s32 %0, %0, -1;\nredux.sync.and.b32 %0, %0, -1;" : "+r"(i[3]));
  asm volatile("{.reg .b32 r; createpolicy.fractional.L2::evict_last.b64 %1, 1.0; ld.global.L2::cache_hint.b32 r, [%0], %1;"
               "st.global.b32 [%0+4], r;}" :: "l"(f), "l"(0ll));
}
#endif
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2) clusters(int* p) {
  extern __shared__ int s[];
  unsigned a = (unsigned)__cvta_generic_to_shared(s), r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(r) : "r"(a));
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%0+8];" :: "r"(r), "r"(p[0]));
  asm volatile("mbarrier.init.shared.b64 [%0], 1;\nmbarrier.arrive.shared.b64 _, [%0];" :: "r"(a));
  asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;\nld.shared::cluster.u32 %0, [%1];" : "=r"(p[1]) : "r"(r));
  asm volatile("fence.proxy.async;\ngriddepcontrol.wait;\ngriddepcontrol.launch_dependents;\nfence.mbarrier_init.release.cluster;");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%0];" :: "r"(a), "l"(p));
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%1], [%0], 64;\ncp.async.bulk.commit_group;\n"
               "cp.async.bulk.wait_group 0;" :: "r"(a), "l"(p));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%1};\nprefetch.global.L2 [%2];" :: "r"(a), "r"(r), "l"(p));
}
#endif
#ifdef __CUDA_ARCH_FEAT_SM100_ALL
extern "C" __global__ void tensor_memory(unsigned long long* q, unsigned* p) {
  __shared__ unsigned base;
  unsigned a = (unsigned)__cvta_generic_to_shared(&base), t;
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" :: "r"(a));
  t = base;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %2, p;}"
               :: "r"(t), "l"(q[0]), "r"(p[0]));
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%0];" :: "l"(q));
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];\ntcgen05.wait::ld.sync.aligned;" : "=r"(p[1]) : "r"(t));
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};\ntcgen05.wait::st.sync.aligned;" :: "r"(t), "r"(p[2]));
  asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;\ntcgen05.shift.cta_group::1.down [%0];" :: "r"(t), "l"(q[1]));
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" :: "r"(t));
}
#endif
