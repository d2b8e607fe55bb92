// What compute capability 10.0 and later add: pairs of floats, sources of 16 bits, 32 bytes a lane, formats of 4 to 8 bits,
// approximations of halves, integers in pairs of registers. Their machine code leaves what their PTX does.
#include <cstdint>

using u32 = unsigned;
using u64 = unsigned long long;

__device__ u64 pair(u32 low, u32 high) { return u64{high} << 32 | low; }

#define OF_PAIRS(X)                                                                                              \
  X("fma.rn.f32x2 %0, %1, %2, %3;")                                                                              \
  X("fma.rz.ftz.f32x2 %0, %1, %2, %3;") X("fma.rp.f32x2 %0, %1, %2, %3;") X("mul.rn.ftz.f32x2 %0, %1, %2;")       \
      X("mul.rm.f32x2 %0, %2, %3;") X("add.rn.f32x2 %0, %1, %3;") X("sub.rz.f32x2 %0, %1, %3;")                   \
          X("{.reg .b64 n; xor.b64 n, %1, 0x8000000000000000; fma.rn.f32x2 %0, n, %2, %3;}")                      \
              X("{.reg .b64 n; xor.b64 n, %3, 0x0000000080000000; add.rn.f32x2 %0, %2, n;}")                      \
                  X("{.reg .b32 a, b; .reg .b64 n; mov.b64 {a, b}, %2; mov.b64 n, {b, a}; mul.rn.f32x2 %0, %1, n;}") \
                      X("{.reg .b64 n; mov.b64 n, 0x4049000040490000; fma.rn.f32x2 %0, %1, n, %3;}")

extern "C" __global__ void pairs(const u32* a, const u32* b, const u32* c, u64* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const u64 x = pair(a[i], b[i]), y = pair(b[i], c[i]), z = pair(c[i], a[i]);
  out += i;
#define X(code)                                                  \
  {                                                              \
    u64 r;                                                       \
    asm volatile(code : "=l"(r) : "l"(x), "l"(y), "l"(z));       \
    *out = r, out += n;                                          \
  }
  OF_PAIRS(X)
#undef X
}

#define OF_WORDS(X)                                                                                                    \
  X("{.reg .b16 a, b; .reg .f32 f; mov.b32 {a, b}, %1; mov.b32 f, %3; fma.rn.f32.f16 f, a, b, f; mov.b32 %0, f;}")      \
  X("{.reg .b16 a, b; .reg .f32 f; mov.b32 {a, b}, %1; mov.b32 f, %3; fma.rz.sat.f32.bf16 f, b, a, f; mov.b32 %0, f;}") \
  X("{.reg .b16 a, b; .reg .f32 f; mov.b32 {a, b}, %1; mov.b32 f, %3; sub.rp.f32.bf16 f, b, f; mov.b32 %0, f;}")        \
  X("{.reg .b8 b; .reg .f32 f, g; mov.b32 f, %1; mov.b32 g, %2; cvt.rn.satfinite.e2m1x2.f32 b, f, g; cvt.u32.u8 %0, b;}") \
  X("{.reg .b16 h; .reg .f32 f, g; mov.b32 f, %1; mov.b32 g, %2; cvt.rn.satfinite.e2m3x2.f32 h, f, g; cvt.u32.u16 %0, h;}") \
  X("{.reg .b16 h; .reg .f32 f, g; mov.b32 f, %1; mov.b32 g, %2; cvt.rp.satfinite.ue8m0x2.f32 h, f, g; cvt.u32.u16 %0, h;}") \
  X("{.reg .b16 h; cvt.u16.u32 h, %1; cvt.rn.f16x2.e3m2x2 %0, h;}")                                                    \
  X("{.reg .b16 h; cvt.u16.u32 h, %1; cvt.rn.bf16x2.ue8m0x2 %0, h;}")                                                  \
  X("tanh.approx.f16x2 %0, %1;") X("tanh.approx.bf16x2 %0, %1;") X("ex2.approx.f16x2 %0, %1;")                          \
  X("ex2.approx.ftz.bf16x2 %0, %1;") X("szext.wrap.s32 %0, %1, %2;") X("bmsk.wrap.b32 %0, %1, %2;")                     \
  X("add.sat.s32 %0, %1, %2;") X("max.f32 %0, %1, %2, %3;") X("min.NaN.abs.f32 %0, %1, %2, %3;")

extern "C" __global__ void words(const u32* a, const u32* b, const u32* c, u32* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out += i;
#define X(code)                                                           \
  {                                                                       \
    u32 r;                                                                \
    asm volatile(code : "=r"(r) : "r"(a[i]), "r"(b[i]), "r"(c[i]));       \
    *out = r, out += n;                                                   \
  }
  OF_WORDS(X)
#undef X
}

extern "C" __global__ void integers(const u32* a, const u32* b, const u32* c, u64* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const u64 x = pair(a[i], b[i]), y = pair(b[i], c[i]), z = pair(c[i] & 3, a[i]);
  const int64_t sx = x, sy = y;
  out += i;
  const auto put = [&](u64 value) { *out = value, out += n; };
  put(x + y);
  put(x - y + 0x80000000u);
  put(x + 0x123456789abcull);
  put(sx < sy ? x : z);
  put(x > 0xffffffff80000000u ? y : 5);
  put(sx < -7 && y != z ? 1 : 0);
  put(max(sx, sy));
  put(min(x, z));
  put(__umul64hi(x, y));
  u64 low, high;
  asm("add.cc.u64 %0, %2, %3; addc.u64 %1, %3, %4;" : "=l"(low), "=l"(high) : "l"(x), "l"(y), "l"(z));
  put(low ^ high);
  asm("sub.cc.u64 %0, %2, %3; subc.u64 %1, %3, %4;" : "=l"(low), "=l"(high) : "l"(x), "l"(y), "l"(z));
  put(low ^ high);
  // The same for the whole warp.
  const u64 same = pair(a[blockIdx.x], b[blockIdx.x]) >> 8;
  put(same + gridDim.x * 0x100000001ull);
  put(same > 0x123456789aull ? same - 3 : same * 7);
}

struct alignas(32) Wide {
  u64 at[4];
};
extern "C" __global__ void rows(const Wide* from, Wide* to, u32* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 w[4];
  asm volatile("ld.global.v4.b64 {%0, %1, %2, %3}, [%4];" : "=l"(w[0]), "=l"(w[1]), "=l"(w[2]), "=l"(w[3]) : "l"(from + (i ^ 5)));
  if (i % 3 == 0) asm volatile("st.global.v4.b64 [%0], {%1, %2, %3, %4};" ::"l"(to + i), "l"(w[3]), "l"(w[1]), "l"(w[2]), "l"(w[0]));
  u32 first, third, last;
  asm volatile("ld.global.v8.b32 {%0, _, %1, _, _, _, _, %2}, [%3+32];" : "=r"(first), "=r"(third), "=r"(last) : "l"(from + i));
  sums[i] = first + 3 * third + 5 * last;
}
