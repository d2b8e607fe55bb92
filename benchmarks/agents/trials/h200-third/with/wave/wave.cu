#include <cuda_runtime.h>
constexpr int TX = 64, TY = 16, PITCH = TX + 8;
__global__ void plain(const float* now, const float* before, float* next, int n) {
  int c = blockIdx.x * 4 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z * 8 + threadIdx.z;
  if (c >= n || r >= n || p >= n) return;
  auto at = [&](int i, int j, int l) { return i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n ? now[(i * n + j) * n + l] : 0.f; };
  const float factor[5] = {0, 8 / 5.f, -1 / 5.f, 8 / 315.f, -1 / 560.f};
  float s = -205 / 24.f * at(p, r, c);
  for (int f = 1; f <= 4; ++f)
    s += factor[f] * (at(p - f, r, c) + at(p + f, r, c) + at(p, r - f, c) + at(p, r + f, c) + at(p, r, c - f) + at(p, r, c + f));
  int i = (p * n + r) * n + c;
  next[i] = 2 * now[i] - before[i] + 0.1f * s;
}
template <bool FIRST, bool REV>
__global__ void __launch_bounds__(256, 2) k(const float* __restrict__ now, const float* before, float* next, int n, int planes) {
  __shared__ __align__(16) float tile[2][TY + 8][PITCH];
  const int t = threadIdx.x, tx = t & 15, ty = t >> 4;
  const int c = blockIdx.x * TX + tx * 4, r = blockIdx.y * TY + ty;
  const int z0 = blockIdx.z * planes, z1 = min(z0 + planes, n);
  const bool in = c < n && r < n;
  const int area = n * n;
  const int off = r * n + c;
  // halo place of this thread
  int hr = 0, hc = 0;
  bool has = true;
  if (t < 64) { hr = t >> 4; hc = 4 + (t & 15) * 4; }
  else if (t < 128) { hr = TY + 4 + ((t - 64) >> 4); hc = 4 + (t & 15) * 4; }
  else if (t < 160) { hr = 4 + ((t - 128) >> 1); hc = (t & 1) ? TX + 4 : 0; }
  else has = false;
  const int gr = blockIdx.y * TY + hr - 4, gc = blockIdx.x * TX + hc - 4;
  const bool hin = has && gr >= 0 && gr < n && gc >= 0 && gc < n;
  const int hoff = gr * n + gc;
  const float4 zero = make_float4(0, 0, 0, 0);
  auto at = [&](int z) { return (size_t)(REV ? n - 1 - z : z) * area; };
  auto ld = [&](int z) { return in && z >= 0 && z < n ? __ldg((const float4*)(now + at(z) + off)) : zero; };
  auto ldh = [&](int z) { return hin && z < n ? __ldg((const float4*)(now + at(z) + hoff)) : zero; };
  auto ldb = [&](int z) { return !FIRST && in && z < n ? __ldcs((const float4*)(before + at(z) + off)) : zero; };
  float4 q[11];
#pragma unroll
  for (int i = 0; i < 10; ++i) q[i] = ld(z0 - 4 + i);   // q[4] is plane z, q[8] plane z + 4, q[9] plane z + 5
  float4 h = ldh(z0), b0 = ldb(z0), b1 = ldb(z0 + 1);
  const float F1 = 0.1f * 8 / 5.f, F2 = -0.1f / 5.f, F3 = 0.1f * 8 / 315.f, F4 = -0.1f / 560.f, F0 = 2.f - 0.1f * 205 / 24.f;
#pragma unroll 4
  for (int z = z0; z < z1; ++z) {
    float (*s)[PITCH] = tile[(z - z0) & 1];
    *(float4*)&s[ty + 4][tx * 4 + 4] = q[4];
    if (has) *(float4*)&s[hr][hc] = h;
    q[10] = ld(z + 6);
    h = ldh(z + 1);
    float4 b2 = ldb(z + 2);
    __syncthreads();
    float4 l = *(float4*)&s[ty + 4][tx * 4], g = *(float4*)&s[ty + 4][tx * 4 + 8];
    float x[12] = {l.x, l.y, l.z, l.w, q[4].x, q[4].y, q[4].z, q[4].w, g.x, g.y, g.z, g.w};
    float o[4];
    const float bb[4] = {b0.x, b0.y, b0.z, b0.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) o[i] = F0 * x[4 + i] - (FIRST ? x[4 + i] : bb[i]);
#pragma unroll
    for (int f = 1; f <= 4; ++f) {
      const float F = f == 1 ? F1 : f == 2 ? F2 : f == 3 ? F3 : F4;
      float4 u = *(float4*)&s[ty + 4 - f][tx * 4 + 4], d = *(float4*)&s[ty + 4 + f][tx * 4 + 4], p = q[4 - f], m = q[4 + f];
      o[0] += F * ((u.x + d.x) + (p.x + m.x) + (x[4 - f] + x[4 + f]));
      o[1] += F * ((u.y + d.y) + (p.y + m.y) + (x[5 - f] + x[5 + f]));
      o[2] += F * ((u.z + d.z) + (p.z + m.z) + (x[6 - f] + x[6 + f]));
      o[3] += F * ((u.w + d.w) + (p.w + m.w) + (x[7 - f] + x[7 + f]));
    }
    if (in) *(float4*)(next + at(z) + off) = make_float4(o[0], o[1], o[2], o[3]);
#pragma unroll
    for (int i = 0; i < 10; ++i) q[i] = q[i + 1];
    b0 = b1; b1 = b2;
  }
}
extern "C" void solve(const float* x, float* y, int n) {
  float* z = y + (size_t)n * n * n;
  if (n & 3) {
    dim3 grid((n + 3) / 4, (n + 7) / 8, (n + 7) / 8), block(4, 8, 8);
    plain<<<grid, block>>>(x, x, y, n);
    plain<<<grid, block>>>(y, x, z, n);
    plain<<<grid, block>>>(z, y, y, n);
    plain<<<grid, block>>>(y, z, z, n);
    return;
  }
  int planes = n >= 64 ? (n + 3) / 4 : n;
  dim3 grid((n + TX - 1) / TX, (n + TY - 1) / TY, (n + planes - 1) / planes);
  k<true, false><<<grid, 256>>>(x, x, y, n, planes);
  k<false, true><<<grid, 256>>>(y, x, z, n, planes);
  k<false, false><<<grid, 256>>>(z, y, y, n, planes);
  k<false, true><<<grid, 256>>>(y, z, z, n, planes);
}
