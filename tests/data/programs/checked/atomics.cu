// Atomics of every type and scope, of 16 bits to 128, as calls, as cuda::atomic_ref and as PTX.
#include <cuda/atomic>

#include "check.h"
__global__ void classic(int* i, unsigned* u, unsigned long long* l, float* f, double* d, long long* ll) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(i, t);
  atomicSub(i + 1, 3);
  atomicMin(i + 2, -t);
  atomicMax(i + 3, t * 5);
  atomicAnd(i + 4, ~(1 << (t % 32)));
  atomicOr(i + 5, 1 << (t % 32));
  atomicXor(i + 6, t);
  atomicInc(u, 100);
  atomicDec(u + 1, 77);
  atomicMin(u + 2, 0x80000000u + t);
  atomicMax(u + 3, 0x7fffff00u + t);
  atomicAdd_block(u + 4, 1u);
  atomicAdd_system(u + 5, 2u);
  atomicMax_block(u + 6, (unsigned)t);
  atomicAdd(l, 1ull << 40);
  atomicMin(l + 1, (1ull << 50) - t);
  atomicMax(l + 2, (unsigned long long)t << 33);
  atomicAnd(l + 3, ~(1ull << (t % 64)));
  atomicOr(l + 4, 1ull << (t % 64));
  atomicXor(l + 5, (unsigned long long)t << 20);
  atomicMin(ll, (long long)-t << 34);
  atomicMax(ll + 1, (long long)t << 34);
  atomicAdd(f, 1.f);
  atomicAdd(d, 0.5);
  atomicAdd(f + 1, (float)(t & 3));
  atomicAdd_system(d + 1, 2.);
  unsigned old = atomicCAS(u + 7, (unsigned)0, 5u);
  (void)old;
  atomicCAS(l + 6, 0ull, 9ull);
  unsigned short* us = (unsigned short*)(u + 8);
  unsigned short o16 = *us, s16;
  do {
    s16 = o16;
    o16 = atomicCAS(us, s16, (unsigned short)(s16 + 1));
  } while (s16 != o16);
  atomicExch(f + 2, 7.f);
  atomicExch(l + 7, 11ull);
}
__global__ void scoped(unsigned* g, unsigned long long* l) {
  __shared__ unsigned s[8];
  if (threadIdx.x < 8) s[threadIdx.x] = 0;
  __syncthreads();
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> a(s[0]);
  a.fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> b(g[0]);
  b.fetch_add(3, cuda::memory_order_acq_rel);
  cuda::atomic_ref<unsigned>(g[7]).fetch_max(threadIdx.x * 11);
  cuda::atomic_ref<unsigned, cuda::thread_scope_system> c(g[1]);
  c.fetch_xor(threadIdx.x);
  c.fetch_sub(1);
  cuda::atomic_ref<unsigned long long> e(l[0]);
  e.fetch_add(1ull << 33);
  unsigned long long old = e.load();
  while (!e.compare_exchange_weak(old, old + 1)) {
  }
  cuda::atomic_ref<float> f(*(float*)(g + 2));
  f.fetch_add(1.5f);
  cuda::atomic_ref<double, cuda::thread_scope_block> d(*(double*)(s + 4));
  d.fetch_add(0.25);
  cuda::atomic_ref<unsigned char> by(((unsigned char*)(g + 3))[threadIdx.x % 4]);
  by.fetch_add(1);
  cuda::atomic_ref<unsigned short> sh(((unsigned short*)(g + 4))[threadIdx.x % 2]);
  sh.fetch_or(1 << (threadIdx.x % 16));
  cuda::atomic_ref<int> mn(*(int*)(g + 6));
  mn.fetch_min(-(int)threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(g + 5, s[0]);
    atomicAdd((double*)(l + 1), *(double*)(s + 4));
  }
}
__global__ void ptx(unsigned* g, unsigned long long* l, float* v) {
  unsigned o;
  unsigned long long ol;
  int t = threadIdx.x;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(o) : "l"(g), "r"(t) : "memory");
  asm volatile("atom.relaxed.cta.global.inc.u32 %0, [%1], %2;" : "=r"(o) : "l"(g + 1), "r"(9) : "memory");
  asm volatile("red.release.sys.global.max.s32 [%0], %1;" ::"l"(g + 2), "r"(t - 50) : "memory");
  asm volatile("red.relaxed.gpu.global.min.u64 [%0], %1;" ::"l"(l), "l"(0ull - 5 - t) : "memory");
  asm volatile("atom.global.and.b64 %0, [%1], %2;" : "=l"(ol) : "l"(l + 1), "l"(~(1ull << t)) : "memory");
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(l + 2), "d"(1.25) : "memory");
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(g + 3), "r"(0x3c003800) : "memory");
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(g + 4), "r"(0x3f803f00) : "memory");
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.v4.f32.add [%0], {%1, %2, %3, %4};" ::"l"(v), "f"(1.f), "f"(2.f), "f"(3.f), "f"(4.f)
               : "memory");
  float a, b;
  asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};"
               : "=f"(a), "=f"(b)
               : "l"(v + 4), "f"(0.5f), "f"(0.25f)
               : "memory");
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(v + 8), "r"(0x3c003c00) : "memory");
  asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1, %1};" ::"l"(v + 12), "r"(0x3f804000 + t) : "memory");
  asm volatile(
      "{.reg .b128 c, n, r; mov.b128 c, {%0, %1}; mov.b128 n, {%2, %3}; atom.global.cas.b128 r, [%4], c, n; mov.b128 "
      "{%0, %1}, r;}"
      : "+l"(ol), "+l"(l[20])
      : "l"(7ull), "l"(8ull), "l"(l + 4)
      : "memory");
  asm volatile("{.reg .b128 n, r; mov.b128 n, {%0, %1}; atom.global.exch.b128 r, [%2], n;}" ::"l"(70ull), "l"(80ull),
               "l"(l + 6)
               : "memory");
#endif
}
int main() {
  {
    Dev<int> i(8);
    Dev<unsigned> u(16);
    Dev<unsigned long long> l(8);
    Dev<float> f(4);
    Dev<double> d(2);
    Dev<long long> ll(2);
    std::vector<int> i0 = {0, 0, 0, 0, -1, 0, 0, 0};
    OK(cudaMemcpy(i, i0.data(), 32, cudaMemcpyHostToDevice));
    std::vector<unsigned> u0(16);
    u0[2] = ~0u;
    OK(cudaMemcpy(u, u0.data(), 64, cudaMemcpyHostToDevice));
    std::vector<unsigned long long> l0(8);
    l0[1] = ~0ull;
    l0[3] = ~0ull;
    OK(cudaMemcpy(l, l0.data(), 64, cudaMemcpyHostToDevice));
    classic<<<7, 96>>>(i, u, l, f, d, ll);
    show("i", i.get());
    auto uv = u.get();
    for (auto x : uv) printf("%u ", x);
    puts("");
    show("u", uv);
    auto lv = l.get();
    for (auto x : lv) printf("%llu ", x);
    puts("");
    auto fv = f.get();
    for (auto x : fv) printf("%g ", x);
    auto dv = d.get();
    printf("%g %g\n", dv[0], dv[1]);
    show("ll", ll.get());
    EXPECT("sums", i.get()[0] == 672 * 671 / 2 && uv[0] == 672 % 101 && uv[5] == 1344 && fv[0] == 672 &&
                       dv[1] == 1344 && (uv[8] & 0xffff) == 672);
  }
  {
    Dev<unsigned> g(8);
    Dev<unsigned long long> l(4);
    scoped<<<5, 64>>>(g, l);
    auto v = g.get();
    auto w = l.get();
    double d;
    memcpy(&d, &w[1], 8);
    float f;
    memcpy(&f, &v[2], 4);
    for (auto x : v) printf("%u ", x);
    printf("%llu %g %g\n", w[0], d, f);
    EXPECT("scoped", w[0] == 320ull * ((1ull << 33) + 1) && d == 80 && f == 480 && v[5] == 320 && v[3] == 0x50505050 &&
                         (int)v[6] == -63);
  }
  {
    Dev<unsigned> g(8);
    Dev<unsigned long long> l(24);
    Dev<float> v(16);
    std::vector<unsigned long long> l0(24);
    l0[0] = ~0ull;
    l0[1] = ~0ull;
    OK(cudaMemcpy(l, l0.data(), 192, cudaMemcpyHostToDevice));
    ptx<<<1, 64>>>(g, l, v);
    for (auto x : g.get()) printf("%08x ", x);
    puts("");
    auto lv = l.get();
    lv[20] = 0;
    for (auto x : lv) printf("%llx ", x);
    puts("");
    for (auto x : v.get()) printf("%g ", x);
    puts("");
  }
  return done();
}
