// Shuffles, votes, matches and reductions of a warp with odd masks and widths.
#include "check.h"
__global__ void odd(unsigned* out, unsigned mask, int width) {
  int l = threadIdx.x;
  unsigned* o = out + l * 24;
  if (!((mask >> l) & 1)) return;
  unsigned v = l * 0x01010101u ^ 0x5aa5;
  o[0] = __shfl_sync(mask, v, l * 5 + 1, width);
  o[1] = __shfl_up_sync(mask, v, 1, width);
  o[2] = __shfl_down_sync(mask, v, 3, width);
  o[3] = __shfl_xor_sync(mask, v, 5, width);
  unsigned long long w = (unsigned long long)v << 32 | l;
  w = __shfl_sync(mask, w, 31 - l, width);
  o[4] = w, o[5] = w >> 32;
  double d = __shfl_down_sync(mask, l * 1.5, 2, width);
  o[6] = (int)(d * 2);
  o[7] = __ballot_sync(mask, l & 2);
  o[8] = __any_sync(mask, l == 17) * 2 + __all_sync(mask, l < 32);
  o[9] = __match_any_sync(mask, l % 7);
  int pred;
  o[10] = __match_all_sync(mask, l / 32, &pred);
  o[11] = pred;
  unsigned q = __match_all_sync(mask, l & 1, &pred);
  o[12] = q + pred;
  o[13] = __match_any_sync(mask, (unsigned long long)(l % 3) << 40);
#if __CUDA_ARCH__ >= 800
  o[14] = __reduce_add_sync(mask, v);
  o[15] = __reduce_min_sync(mask, (int)v - 100);
  o[16] = __reduce_max_sync(mask, v);
  o[17] = __reduce_and_sync(mask, v | 0xff);
  o[18] = __reduce_or_sync(mask, v);
  o[19] = __reduce_xor_sync(mask, v);
#endif
  o[20] = __activemask() == mask || true;
  int p2;
  unsigned r;
  asm volatile("{.reg .pred p; shfl.sync.idx.b32 %0|p, %2, %3, %4, %5; selp.s32 %1, 1, 0, p;}"
               : "=r"(r), "=r"(p2)
               : "r"(v), "r"(l + 40), "r"(0x1f), "r"(mask));
  o[21] = p2;
  asm volatile("{.reg .pred p; shfl.sync.down.b32 %0|p, %2, %3, %4, %5; selp.s32 %1, 1, 0, p;}"
               : "=r"(r), "=r"(p2)
               : "r"(v), "r"(4), "r"(0x1807), "r"(mask));
  o[22] = p2 ? r : 0xdead;
  asm volatile("{.reg .pred p; shfl.sync.up.b32 %0|p, %2, %3, %4, %5; selp.s32 %1, 1, 0, p;}"
               : "=r"(r), "=r"(p2)
               : "r"(v), "r"(4), "r"(0x1000), "r"(mask));
  o[23] = p2 ? r : 0xdead;
}
__global__ void half_types(float* out) {
  int l = threadIdx.x;
  float f = __shfl_xor_sync(~0u, (float)l, 16);
  long s = __shfl_up_sync(0xffffffff, (long)l * 1000000007L, 4);
  unsigned char c = __shfl_sync(~0u, l * 9, 3);
  out[l] = f + (float)(s % 1013) + c;
}
__global__ void diverged(int* out) {
  int l = threadIdx.x, acc = 0;
  for (int i = 0; i < l % 5 + 1; ++i) {
    unsigned m = __activemask();
    acc += __popc(m) >= 1;
  }
  if (l % 3 == 0) acc += __shfl_sync(0x49249249, l, 6) * 100;
  else if (l % 3 == 1) acc += __shfl_down_sync(0x92492492, l, 3) * 100;
  else acc += __reduce_add_sync(0x24924924, 1) * 100;
  __syncwarp();
  switch (l & 3) {
    case 0: acc += __ballot_sync(0x11111111, l > 8) & 0xff; break;
    case 1: acc += __ballot_sync(0x22222222, l > 8) & 0xff; break;
    default: acc += 7;
  }
  out[l] = acc;
}
int main() {
  const unsigned masks[] = {~0u, 0x1u, 0x80000001u, 0xaaaaaaaau, 0x0f0f00ffu, 0x7fffffffu, 0xdeadbeefu, 0x10000000u};
  for (unsigned m : masks)
    for (int w : {32, 16, 8, 4, 2}) {
      Dev<unsigned> out(32 * 24);
      odd<<<1, 32>>>(out, m, w);
      auto v = out.get();
      bool good = true;
      // lanes whose source is outside the mask are undefined: clear them
      for (int l = 0; l < 32; ++l) {
        if (!((m >> l) & 1)) continue;
        unsigned* o = &v[l * 24];
        auto val = [](int i) { return (unsigned)i * 0x01010101u ^ 0x5aa5u; };
        int base = l / w * w;
        auto fix = [&](int k, int src, unsigned want) {
          if (!((m >> src) & 1)) o[k] = 0;
          else if (o[k] != want) {
            if (good) printf("mask %08x w %d lane %d field %d want %x got %x\n", m, w, l, k, want, o[k]);
            good = false;
          }
        };
        int s0 = base + ((l * 5 + 1) & (w - 1));
        fix(0, s0, val(s0));
        int s1 = (l - 1 < base) ? l : l - 1;
        fix(1, s1, val(s1));
        int s2 = (l + 3 >= base + w) ? l : l + 3;
        fix(2, s2, val(s2));
        int s3 = l ^ 5;
        if (s3 >= base + w) s3 = l;
        fix(3, s3, val(s3));
        int s4 = base + ((31 - l) & (w - 1));
        fix(4, s4, s4);
        fix(5, s4, val(s4));
        int s6 = (l + 2 >= base + w) ? l : l + 2;
        fix(6, s6, s6 * 3);
        unsigned bal = 0, mx = 0, sum = 0, an = ~0u, orr = 0, xr = 0;
        int mn = 1 << 30;
        unsigned same = 0, same3 = 0;
        bool any = false, alleq = true;
        int first = __builtin_ctz(m);
        for (int j = 0; j < 32; ++j)
          if ((m >> j) & 1) {
            if (j & 2) bal |= 1u << j;
            any |= j == 17;
            if (j % 7 == l % 7) same |= 1u << j;
            if (j % 3 == l % 3) same3 |= 1u << j;
            alleq &= (j & 1) == (first & 1);
            sum += val(j);
            mn = std::min(mn, (int)val(j) - 100);
            mx = std::max(mx, val(j));
            an &= val(j) | 0xff;
            orr |= val(j);
            xr ^= val(j);
          }
        unsigned want[] = {bal, any * 2u + 1, same, m, 1, alleq ? m + 1 : 0, same3, sum, (unsigned)mn, mx, an, orr, xr};
        for (int k = 0; k < 13; ++k)
          if (o[7 + k] != want[k]) {
            if (good) printf("mask %08x lane %d field %d want %x got %x\n", m, l, 7 + k, want[k], o[7 + k]);
            good = false;
          }
        o[22] = (m >> ((l & 0x18) | ((l + 4) & 7))) & 1 ? o[22] : 0;
        o[23] = l >= 4 && ((m >> (l - 4)) & 1) ? o[23] : 0;
      }
      char n[40];
      snprintf(n, 40, "mask %08x width %d", m, w);
      EXPECT(n, good);
      show("  digest", v);
    }
  {
    Dev<float> out(32);
    half_types<<<1, 32>>>(out);
    show("types", out.get());
  }
  {
    Dev<int> out(32);
    diverged<<<1, 32>>>(out);
    auto v = out.get();
    show("diverged", v);
    for (int x : v) printf("%d ", x);
    puts("");
  }
  return done();
}
