#include "warplens/libraries/time/product_time.h"

#include <algorithm>
#include <cmath>

namespace warplens::libraries {
namespace {

constexpr double kStartNs = 2300;      // of a kernel that fills and drains its pipeline
constexpr double kStreamShare = 0.88;  // of DRAM's bandwidth, for what is read and written once
constexpr int kThreads = 256;

/// What a block computes of D. Smaller tiles reach less of the units' peak: each element is used less often.
struct Tile {
  int rows, columns;
  double share;  // of the peak
};
constexpr Tile kTiles[] = {{256, 128, 0.80}, {128, 256, 0.80}, {128, 128, 0.76}, {128, 64, 0.62},
                           {64, 128, 0.62},  {64, 64, 0.45},   {64, 32, 0.28},   {32, 64, 0.28}};
constexpr int kSplits[] = {1, 2, 4, 8, 16};
constexpr int64_t kLeastDepth = 128;  // of what a split gives each block

/// Peak of the unit, and how many real operations a multiply-add of its elements takes.
struct Rate {
  double tflops, operations;
};
Rate rate_of(Unit unit, const gpu::Device& d) {
  const auto known = [&](double tflops) { return tflops > 0 ? tflops : d.fp32_tflops; };
  const double fp64 = std::max(d.fp64_tensor_tflops, d.fp64_tflops);
  switch (unit) {
    case Unit::kF32: return {d.fp32_tflops, 2};
    case Unit::kTf32: return {known(d.tf32_tflops), 2};
    case Unit::kF16: return {known(d.half_tflops), 2};
    case Unit::kF8: return {known(std::max(d.fp8_tflops, d.half_tflops)), 2};
    case Unit::kI8: return {known(2 * d.half_tflops), 2};
    case Unit::kF64: return {known(fp64), 2};
    case Unit::kC64: return {d.fp32_tflops, 8};
    case Unit::kC128: return {known(fp64), 8};
  }
  return {d.fp32_tflops, 2};
}

int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

LibraryTime product_time(const ProductShape& s, const gpu::Device& device) {
  const Rate rate = rate_of(s.unit, device);
  const double flops_per_ns_sm = rate.tflops * 1e3 / device.sms;
  const auto bytes_of = [&](int64_t rows, int64_t columns, int bytes) {
    return static_cast<double>(s.batches) * static_cast<double>(rows) * static_cast<double>(columns) * bytes;
  };
  const double d_bytes = bytes_of(s.m, s.n, s.d_bytes);
  const double bytes = bytes_of(s.m, s.k, s.a_bytes) + bytes_of(s.k, s.n, s.b_bytes) + d_bytes * (s.adds ? 2 : 1);
  const double stream_ns = bytes / (device.dram_gbs * kStreamShare);
  LibraryTime best;
  for (const Tile& tile : kTiles) {
    const int64_t tiles = ceil_of(s.m, tile.rows) * ceil_of(s.n, tile.columns) * s.batches;
    for (const int split : kSplits) {
      if (split > 1 && s.k / split < kLeastDepth) break;
      const auto depth = static_cast<double>(ceil_of(std::max<int64_t>(s.k, 1), split));
      const int64_t waves = ceil_of(tiles * split, device.sms);
      const double tile_ns = tile.rows * tile.columns * depth * rate.operations / (flops_per_ns_sm * tile.share);
      const double split_ns = split > 1 ? kStartNs + d_bytes * split * 2 / (device.dram_gbs * kStreamShare) : 0;
      const double ns = kStartNs + std::max(static_cast<double>(waves) * tile_ns, stream_ns) + split_ns;
      if (best.ns > 0 && ns >= best.ns) continue;
      best.ns = ns;
      best.sm_share = std::min(1.0, static_cast<double>(tiles * split) / device.sms);
      best.grid = {static_cast<uint32_t>(ceil_of(s.m, tile.rows)), static_cast<uint32_t>(ceil_of(s.n, tile.columns)),
                   static_cast<uint32_t>(s.batches * split)};
    }
  }
  best.block = {kThreads, 1, 1};
  return best;
}

LibraryTime streaming_time(double bytes, double flops, const gpu::Device& device) {
  constexpr double kBlockBytes = 64 * 1024;
  const double stream_ns = bytes / (device.dram_gbs * kStreamShare), compute_ns = flops / (device.fp32_tflops * 1e3);
  const double blocks = std::max(1.0, std::ceil(bytes / kBlockBytes));
  return {.ns = kStartNs + std::max(stream_ns, compute_ns),
          .sm_share = std::min(1.0, blocks / device.sms),
          .grid = {static_cast<uint32_t>(std::min(blocks, 2147483647.0)), 1, 1},
          .block = {kThreads, 1, 1}};
}

}  // namespace warplens::libraries
