// Integer intrinsics against the same functions written in plain C++.
#include "check.h"
struct R {
  uint32_t v[64];
};
__host__ __device__ inline uint32_t lane8(uint32_t a, int i) { return (a >> (8 * i)) & 0xff; }
__host__ __device__ inline uint32_t lane16(uint32_t a, int i) { return (a >> (16 * i)) & 0xffff; }
template <class F>
__host__ __device__ uint32_t per4(uint32_t a, uint32_t b, F f) {
  uint32_t r = 0;
  for (int i = 0; i < 4; ++i) r |= (f(lane8(a, i), lane8(b, i)) & 0xff) << (8 * i);
  return r;
}
template <class F>
__host__ __device__ uint32_t per2(uint32_t a, uint32_t b, F f) {
  uint32_t r = 0;
  for (int i = 0; i < 2; ++i) r |= (f(lane16(a, i), lane16(b, i)) & 0xffff) << (16 * i);
  return r;
}
__global__ void dev(const uint32_t* A, const uint32_t* B, const uint32_t* C, R* out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  uint32_t a = A[t], b = B[t], c = C[t];
  uint32_t* o = out[t].v;
  int k = 0;
  o[k++] = __dp4a((int)a, (int)b, (int)c);
  o[k++] = __dp4a(a, b, c);
  o[k++] = __dp2a_lo((int)a, (int)b, (int)c);
  o[k++] = __dp2a_hi((int)a, (int)b, (int)c);
  o[k++] = __dp2a_lo(a, b, c);
  o[k++] = __dp2a_hi(a, b, c);
  o[k++] = __byte_perm(a, b, c);
  o[k++] = __funnelshift_l(a, b, c);
  o[k++] = __funnelshift_lc(a, b, c);
  o[k++] = __funnelshift_r(a, b, c);
  o[k++] = __funnelshift_rc(a, b, c);
  o[k++] = __brev(a);
  o[k++] = __clz(a);
  o[k++] = __ffs(a);
  o[k++] = __popc(a);
  o[k++] = __mul24(a, b);
  o[k++] = __umul24(a, b);
  o[k++] = __mulhi((int)a, (int)b);
  o[k++] = __umulhi(a, b);
  o[k++] = __sad((int)a, (int)b, c);
  o[k++] = __usad(a, b, c);
  o[k++] = __hadd((int)a, (int)b);
  o[k++] = __uhadd(a, b);
  o[k++] = __rhadd((int)a, (int)b);
  o[k++] = __urhadd(a, b);
  o[k++] = (uint32_t)__mul64hi(((long long)a << 32) | b, ((long long)c << 32) | a);
  o[k++] = (uint32_t)__umul64hi(((uint64_t)a << 32) | b, ((uint64_t)c << 32) | a);
  o[k++] = __vadd4(a, b);
  o[k++] = __vsub4(a, b);
  o[k++] = __vaddss4(a, b);
  o[k++] = __vaddus4(a, b);
  o[k++] = __vsubss4(a, b);
  o[k++] = __vsubus4(a, b);
  o[k++] = __vabsdiffs4(a, b);
  o[k++] = __vabsdiffu4(a, b);
  o[k++] = __vmaxs4(a, b);
  o[k++] = __vminu4(a, b);
  o[k++] = __vcmpgts4(a, b);
  o[k++] = __vsetleu4(a, b);
  o[k++] = __vsads4(a, b);
  o[k++] = __vsadu4(a, b);
  o[k++] = __vavgs4(a, b);
  o[k++] = __vavgu4(a, b);
  o[k++] = __vhaddu4(a, b);
  o[k++] = __vadd2(a, b);
  o[k++] = __vaddss2(a, b);
  o[k++] = __vsubus2(a, b);
  o[k++] = __vmaxs2(a, b);
  o[k++] = __vminu2(a, b);
  o[k++] = __vabsdiffs2(a, b);
  o[k++] = __vneg2(a);
  o[k++] = __vnegss4(a);
  o[k++] = __vabs2(a);
  o[k++] = __vabsss4(a);
  o[k++] = __vcmpeq2(a, b);
  o[k++] = __vavgs2(a, b);
  unsigned __int128 p = (unsigned __int128)(((uint64_t)a << 32) | b) * (((uint64_t)c << 32) | a);
  o[k++] = (uint32_t)(p >> 70);
  __int128 q = (__int128)(long long)(((uint64_t)a << 32) | b) / ((int)c | 1);
  o[k++] = (uint32_t)q;
  o[k++] = (uint32_t)(q >> 64);
  o[k++] = a / (b | 1);
  o[k++] = (int)a % ((int)(b >> 8) | 1);
}
static int32_t s8(uint32_t x) { return (int8_t)x; }
static int32_t s16(uint32_t x) { return (int16_t)x; }
static int32_t clampi(int64_t x, int64_t l, int64_t h) { return x < l ? l : x > h ? h : x; }
static void host(uint32_t a, uint32_t b, uint32_t c, uint32_t* o) {
  int k = 0;
  int32_t s = c;
  uint32_t u = c;
  for (int i = 0; i < 4; ++i) s += s8(lane8(a, i)) * s8(lane8(b, i)), u += lane8(a, i) * lane8(b, i);
  o[k++] = s;
  o[k++] = u;
  for (int hi = 0; hi < 2; ++hi) {
    int32_t r = c;
    for (int i = 0; i < 2; ++i) r += s16(lane16(a, i)) * s8(lane8(b, 2 * hi + i));
    o[k++] = r;
  }
  for (int hi = 0; hi < 2; ++hi) {
    uint32_t r = c;
    for (int i = 0; i < 2; ++i) r += lane16(a, i) * lane8(b, 2 * hi + i);
    o[k++] = r;
  }
  {
    uint64_t ab = ((uint64_t)b << 32) | a;
    uint32_t r = 0;
    for (int i = 0; i < 4; ++i) {
      int sel = (c >> (4 * i)) & 7;
      uint32_t by = (ab >> (8 * sel)) & 0xff;
      r |= by << (8 * i);
    }
    o[k++] = r;
  }
  {
    uint64_t ba = ((uint64_t)b << 32) | a;
    uint32_t m = c & 31, mc = c > 32 ? 32 : c;
    o[k++] = (ba << m) >> 32;
    o[k++] = mc == 32 ? a : (ba << mc) >> 32;
    o[k++] = ba >> m;
    o[k++] = mc == 32 ? b : ba >> mc;
  }
  {
    uint32_t r = 0;
    for (int i = 0; i < 32; ++i) r |= ((a >> i) & 1) << (31 - i);
    o[k++] = r;
  }
  o[k++] = a ? __builtin_clz(a) : 32;
  o[k++] = __builtin_ffs(a);
  o[k++] = __builtin_popcount(a);
  o[k++] = ((int32_t)(a << 8) >> 8) * (int64_t)((int32_t)(b << 8) >> 8);
  o[k++] = (a & 0xffffff) * (uint64_t)(b & 0xffffff);
  o[k++] = ((int64_t)(int)a * (int)b) >> 32;
  o[k++] = ((uint64_t)a * b) >> 32;
  o[k++] = (uint32_t)std::llabs((int64_t)(int)a - (int)b) + c;
  o[k++] = (a > b ? a - b : b - a) + c;
  o[k++] = ((int64_t)(int)a + (int)b) >> 1;
  o[k++] = ((uint64_t)a + b) >> 1;
  o[k++] = ((int64_t)(int)a + (int)b + 1) >> 1;
  o[k++] = ((uint64_t)a + b + 1) >> 1;
  o[k++] = (uint32_t)(((__int128)(int64_t)(((uint64_t)a << 32) | b) * (int64_t)(((uint64_t)c << 32) | a)) >> 64);
  o[k++] = (uint32_t)(((unsigned __int128)(((uint64_t)a << 32) | b) * (((uint64_t)c << 32) | a)) >> 64);
  auto P4 = [&](auto f) { o[k++] = per4(a, b, f); };
  auto P2 = [&](auto f) { o[k++] = per2(a, b, f); };
  P4([](uint32_t x, uint32_t y) { return x + y; });
  P4([](uint32_t x, uint32_t y) { return x - y; });
  P4([](uint32_t x, uint32_t y) { return (uint32_t)clampi(s8(x) + s8(y), -128, 127); });
  P4([](uint32_t x, uint32_t y) { return (uint32_t)clampi(x + y, 0, 255); });
  P4([](uint32_t x, uint32_t y) { return (uint32_t)clampi(s8(x) - s8(y), -128, 127); });
  P4([](uint32_t x, uint32_t y) { return (uint32_t)clampi((int)x - (int)y, 0, 255); });
  P4([](uint32_t x, uint32_t y) { return (uint32_t)std::abs(s8(x) - s8(y)); });
  P4([](uint32_t x, uint32_t y) { return (uint32_t)std::abs((int)x - (int)y); });
  P4([](uint32_t x, uint32_t y) { return (uint32_t)std::max(s8(x), s8(y)); });
  P4([](uint32_t x, uint32_t y) { return std::min(x, y); });
  P4([](uint32_t x, uint32_t y) { return s8(x) > s8(y) ? 0xffu : 0; });
  P4([](uint32_t x, uint32_t y) { return x <= y ? 1u : 0; });
  {
    uint32_t r = 0, w = 0;
    for (int i = 0; i < 4; ++i)
      r += std::abs(s8(lane8(a, i)) - s8(lane8(b, i))), w += std::abs((int)lane8(a, i) - (int)lane8(b, i));
    o[k++] = r;
    o[k++] = w;
  }
  // vavgs rounds away from zero of ties by the documentation "signed rounded average": (a + b + (sum >= 0)) >> 1
  P4([](uint32_t x, uint32_t y) {
    int z = s8(x) + s8(y);
    return (uint32_t)((z + (z >= 0)) >> 1);
  });
  P4([](uint32_t x, uint32_t y) { return (x + y + 1) >> 1; });
  P4([](uint32_t x, uint32_t y) { return (x + y) >> 1; });
  P2([](uint32_t x, uint32_t y) { return x + y; });
  P2([](uint32_t x, uint32_t y) { return (uint32_t)clampi(s16(x) + s16(y), -32768, 32767); });
  P2([](uint32_t x, uint32_t y) { return (uint32_t)clampi((int)x - (int)y, 0, 65535); });
  P2([](uint32_t x, uint32_t y) { return (uint32_t)std::max(s16(x), s16(y)); });
  P2([](uint32_t x, uint32_t y) { return std::min(x, y); });
  P2([](uint32_t x, uint32_t y) { return (uint32_t)std::abs(s16(x) - s16(y)); });
  P2([](uint32_t x, uint32_t) { return 0 - x; });
  P4([](uint32_t x, uint32_t) { return (uint32_t)clampi(-s8(x), -128, 127); });
  P2([](uint32_t x, uint32_t) { return (uint32_t)std::abs(s16(x)); });
  P4([](uint32_t x, uint32_t) { return (uint32_t)clampi(std::abs(s8(x)), -128, 127); });
  P2([](uint32_t x, uint32_t y) { return x == y ? 0xffffu : 0; });
  P2([](uint32_t x, uint32_t y) {
    int z = s16(x) + s16(y);
    return (uint32_t)((z + (z >= 0)) >> 1);
  });
  unsigned __int128 p = (unsigned __int128)(((uint64_t)a << 32) | b) * (((uint64_t)c << 32) | a);
  o[k++] = (uint32_t)(p >> 70);
  __int128 q = (__int128)(long long)(((uint64_t)a << 32) | b) / ((int)c | 1);
  o[k++] = (uint32_t)q;
  o[k++] = (uint32_t)(q >> 64);
  o[k++] = a / (b | 1);
  int div = (int)(b >> 8) | 1;
  o[k++] = (int)((int64_t)(int)a % div);
}
int main() {
  const uint32_t special[] = {0,          1,          2,          31,         32,         33,
                              63,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                              0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
                              0x80808080, 0x7f7f7f7f, 0x80007fff, 0x01010101};
  std::vector<uint32_t> a, b, c;
  uint32_t s = 12345;
  for (uint32_t x : special)
    for (uint32_t y : special)
      for (int i = 0; i < 3; ++i) a.push_back(x), b.push_back(y), c.push_back(special[rnd(s) % 22]);
  for (int i = 0; i < 3000; ++i) a.push_back(rnd(s)), b.push_back(rnd(s)), c.push_back(rnd(s));
  int n = a.size();
  Dev<uint32_t> A(a), B(b), C(c);
  Dev<R> out(n);
  dev<<<(n + 127) / 128, 128>>>(A, B, C, out, n);
  auto v = out.get();
  int wrong[64] = {};
  for (int i = 0; i < n; ++i) {
    uint32_t w[64] = {};
    host(a[i], b[i], c[i], w);
    for (int k = 0; k < 61; ++k)
      if (w[k] != v[i].v[k] && wrong[k]++ == 0)
        printf("function %d (%08x, %08x, %08x) want %08x got %08x\n", k, a[i], b[i], c[i], w[k], v[i].v[k]);
  }
  for (int k = 0; k < 61; ++k) {
    if (wrong[k]) printf("function %d wrong %d of %d\n", k, wrong[k], n), ++g_bad;
  }
  show("all", v);
  return done();
}
