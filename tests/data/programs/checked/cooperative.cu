// Cooperative groups of every kind: tiles of a warp and of several, coalesced, labeled and whole grids.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"
namespace cg = cooperative_groups;
template <int N>
__global__ void tiles(int* out) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<N>(b);
  int v = (int)threadIdx.x * 7 % 31 + 1;
  int s = cg::reduce(t, v, cg::plus<int>());
  int m = cg::reduce(t, v, cg::greater<int>());
  int lo = cg::reduce(t, v, cg::less<int>());
  int x = cg::reduce(t, v, cg::bit_xor<int>());
  int in = cg::inclusive_scan(t, v), ex = cg::exclusive_scan(t, v, cg::plus<int>());
  int own = cg::reduce(t, v, [](int a, int c) { return a * 3 + c - a * 2; });
  long long big = cg::reduce(t, (long long)v << 33, cg::plus<long long>());
  float f = cg::reduce(t, (float)v * 0.5f, cg::plus<float>());
  double d = cg::inclusive_scan(t, (double)v);
  int o = threadIdx.x * 12;
  out[o] = s, out[o + 1] = m, out[o + 2] = lo, out[o + 3] = x, out[o + 4] = in, out[o + 5] = ex, out[o + 6] = own;
  out[o + 7] = (int)(big >> 33), out[o + 8] = (int)(f * 2), out[o + 9] = (int)d;
  out[o + 10] = t.shfl(v, (t.thread_rank() + 3) % N), out[o + 11] = t.meta_group_rank() * 1000 + t.meta_group_size();
}
template <int N>
void tile_test() {
  Dev<int> out(128 * 12);
  tiles<N><<<1, 128>>>(out);
  auto v = out.get();
  bool good = true;
  auto val = [](int i) { return i * 7 % 31 + 1; };
  for (int i = 0; i < 128; ++i) {
    int g = i / N * N, s = 0, m = 0, lo = 1 << 30, x = 0, in = 0, ex = 0;
    for (int j = g; j < g + N; ++j) s += val(j), m = std::max(m, val(j)), lo = std::min(lo, val(j)), x ^= val(j);
    for (int j = g; j <= i; ++j) in += val(j);
    ex = in - val(i);
    int want[12] = {s, m, lo, x, in, ex, s, s, s, in, val(g + (i - g + 3) % N), i / N * 1000 + 128 / N};
    for (int k = 0; k < 12; ++k)
      if (k != 6 && want[k] != v[i * 12 + k]) {
        if (good) printf("tile %d thread %d field %d want %d got %d\n", N, i, k, want[k], v[i * 12 + k]);
        good = false;
      }
  }
  char n[32];
  snprintf(n, 32, "tile %d", N);
  EXPECT(n, good);
  show("  digest", v);
}
template <int N>
__global__ void wide(int* out) {
  __shared__ cg::block_tile_memory<256> m;
  auto b = cg::this_thread_block(m);
  auto t = cg::tiled_partition<N>(b);
  int v = threadIdx.x ^ 5;
  out[threadIdx.x * 4] = cg::reduce(t, v, cg::plus<int>());
  out[threadIdx.x * 4 + 1] = t.shfl(v, 33 % N);
  out[threadIdx.x * 4 + 2] = t.any(v == 77) * 2 + t.all(v < 300);
  out[threadIdx.x * 4 + 3] = cg::exclusive_scan(t, v);
}
template <int N>
void wide_test() {
  Dev<int> out(256 * 4);
  wide<N><<<1, 256>>>(out);
  auto v = out.get();
  bool good = true;
  for (int i = 0; i < 256; ++i) {
    int g = i / N * N, s = 0, ex = 0;
    bool any = false;
    for (int j = g; j < g + N; ++j) {
      s += j ^ 5;
      any |= (j ^ 5) == 77;
      if (j < i) ex += j ^ 5;
    }
    good &= v[i * 4] == s && v[i * 4 + 1] == ((g + 33 % N) ^ 5) && v[i * 4 + 2] == any * 2 + 1 && v[i * 4 + 3] == ex;
  }
  char n[32];
  snprintf(n, 32, "wide tile %d", N);
  EXPECT(n, good);
}
__global__ void coalesced(int* out) {
  int i = threadIdx.x;
  out[i] = -1;
  if ((0x5a5af00fu >> (i % 32)) & 1) {
    auto g = cg::coalesced_threads();
    int s = cg::reduce(g, i, cg::plus<int>());
    int sc = cg::inclusive_scan(g, 1);
    out[i] = s * 100 + sc + g.shfl(i, 0) + g.shfl_down(i, 1) * 3 + g.shfl_up(i, 2) * 5 + g.ballot(i & 1) % 977 +
             g.match_any(i % 3) % 91;
    {
      auto p = cg::labeled_partition(g, i % 5);
      out[i] += p.size() * 7 + p.thread_rank() * 11 + cg::reduce(p, i, cg::plus<int>());
    }
    {
      auto p = cg::binary_partition(g, i % 4 == 0);
      out[i] += p.size() * 13 + p.thread_rank() + cg::reduce(p, i, cg::less<int>());
    }
  }
}
__global__ void label32(int* out) {
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  auto p = cg::labeled_partition(t, (int)(t.thread_rank() * 2654435761u >> 30));
  out[threadIdx.x] = p.size() * 10000 + p.thread_rank() * 100 + p.meta_group_rank();
  auto q = cg::binary_partition(t, t.thread_rank() % 3 == 0);
  out[threadIdx.x] += cg::reduce(q, (int)t.thread_rank(), cg::plus<int>()) * 1000000;
  cg::invoke_one(p, [&] { atomicAdd(&out[64], 1); });
  int one = cg::invoke_one_broadcast(q, [&] { return (int)threadIdx.x * 0 + 9; });
  atomicAdd(&out[65], one);
}
__global__ void grid(int* data, int* out) {
  auto g = cg::this_grid();
  for (int r = 0; r < 5; ++r) {
    data[g.thread_rank()] = r + (int)g.thread_rank();
    g.sync();
    int other = (g.thread_rank() + g.size() / 2) % g.size();
    out[g.thread_rank()] += data[other];
    auto token = g.barrier_arrive();
    g.barrier_wait(std::move(token));
  }
  if (g.thread_rank() == 0) out[g.size()] = g.num_blocks() * 100 + g.dim_blocks().x + g.is_valid();
}
__global__ void copies(const int* in, int* out) {
  extern __shared__ int s[];
  auto b = cg::this_thread_block();
  for (int r = 0; r < 3; ++r) {
    cg::memcpy_async(b, s, in + r * 333, sizeof(int) * 333);
    cg::memcpy_async(b, s + 333, 100, in + r, 80);
    cg::wait_prior<1>(b);
    int a = s[threadIdx.x];
    cg::wait(b);
    out[r * 256 + threadIdx.x] = a + s[333 + threadIdx.x % 80];
    b.sync();
  }
  auto tok = b.barrier_arrive();
  s[0] += 0;
  b.barrier_wait(std::move(tok));
  if (b.thread_rank() == 0) out[800] = b.group_dim().x + b.dim_threads().y + b.thread_index().x;
}
int main() {
  tile_test<1>();
  tile_test<2>();
  tile_test<4>();
  tile_test<8>();
  tile_test<16>();
  tile_test<32>();
  wide_test<64>();
  wide_test<128>();
  wide_test<256>();
  {
    Dev<int> out(64);
    coalesced<<<1, 64>>>(out);
    auto v = out.get();
    show("coalesced", v);
    for (int i = 0; i < 64; ++i) printf("%d ", v[i]);
    puts("");
  }
  {
    Dev<int> out(66);
    label32<<<1, 64>>>(out);
    auto v = out.get();
    show("labeled", v);
    for (int i = 0; i < 66; ++i) printf("%d ", v[i]);
    puts("");
  }
  {
    int blocks = 6, threads = 96;
    Dev<int> data(576), out(577);
    int* d = data;
    int* o = out;
    void* args[] = {&d, &o};
    OK(cudaLaunchCooperativeKernel((void*)grid, blocks, threads, args, 0, 0));
    auto v = out.get();
    bool good = v[576] == 607;
    for (int i = 0; i < 576; ++i) good &= v[i] == 10 + 5 * ((i + 288) % 576);
    EXPECT("grid", good);
  }
  {
    std::vector<int> in(2000);
    for (int i = 0; i < 2000; ++i) in[i] = i * i;
    Dev<int> d(in), out(801);
    copies<<<1, 256, 4000>>>(d, out);
    auto v = out.get();
    bool good = v[800] == 256 + 1;
    for (int r = 0; r < 3; ++r)
      for (int i = 0; i < 256; ++i) good &= v[r * 256 + i] == in[r * 333 + i] + in[r + i % 80];
    EXPECT("memcpy_async", good);
  }
  return done();
}
