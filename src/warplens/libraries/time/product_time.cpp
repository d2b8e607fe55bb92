#include "warplens/libraries/time/product_time.h"

#include <algorithm>
#include <cmath>

#include "warplens/model/constants.h"

namespace warplens::libraries {
namespace {

constexpr double kStartNs = 2000;      // of a kernel that only streams
constexpr double kStreamShare = 0.88;  // of DRAM's bandwidth, for what is read and written once
constexpr int kThreads = 256;

/// What a block computes of D: rows and columns.
struct Tile {
  int rows, columns;
};
constexpr Tile kTiles[] = {{256, 128}, {128, 256}, {192, 192}, {128, 192}, {192, 128}, {128, 128}, {128, 64}, {64, 128},
                           {64, 64},   {64, 32},   {32, 64},   {64, 16},   {16, 64},   {256, 64},  {64, 256}};
constexpr int kSplits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};  // of the depth, among blocks
constexpr int64_t kLeastDepth = 64;                            // of what a split gives each block

/// Of cuBLAS's kernels for one kind of element, fitted to 200 shapes on an H200 (benchmarks/gpu/library_times.py, set
/// `fit`); the set `check` judged them.
struct KernelModel {
  double start_ns;      // a product of nothing
  double ceiling;       // of the unit's peak, in a tile without edges
  double half_tile;     // rows * columns / (rows + columns) at which a tile reaches half of that
  double step_clocks;   // a step of the depth costs beside its arithmetic
  double stream_share;  // of DRAM's bandwidth
  double split_ns;      // of summing up what splits leave
  double misaligned;    // factor of the arithmetic where rows of A or B do not begin at 16 bytes
  double norm;          // by which arithmetic, DRAM and L2 combine
  double l2_bytes;      // a clock, an SM
};
KernelModel kernels_of(Unit unit) {
  switch (unit) {
    case Unit::kF16:
    case Unit::kF8:
    case Unit::kI8: return {2076, 1.0, 0.012, 2.32, 0.707, 2855, 6.0, 5.31, 42.6};
    case Unit::kTf32: return {2435, 1.0, 10.7, 6.98, 0.857, 2916, 3.09, 1.656, 114.8};
    case Unit::kF64:
    case Unit::kC128: return {2618, 0.978, 9.11, 0, 0.572, 1444, 1.56, 10, 62.8};
    case Unit::kF32:
    case Unit::kC64: break;
  }
  return {2282, 0.953, 6.36, 21.3, 0.39, 1932, 1.0, 4.05, 114.8};
}

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

const char* largest(double compute_ns, double stream_ns, double l2_ns, double start_ns) {
  const double most = std::max({compute_ns, stream_ns, l2_ns, start_ns});
  if (most == start_ns) return "its start";
  return most == compute_ns ? "compute" : most == stream_ns ? "DRAM" : "L2";
}

}  // namespace

LibraryTime product_time(const ProductShape& s, const gpu::Device& device) {
  const Rate rate = rate_of(s.unit, device);
  const KernelModel kernels = kernels_of(s.unit);
  const double flops_per_ns_sm = rate.tflops * 1e3 / device.sms, clocks_per_ns = device.clock_hz() * 1e-9;
  const auto bytes_of = [&](int64_t rows, int64_t columns, int bytes) {
    return static_cast<double>(s.batches) * static_cast<double>(rows) * static_cast<double>(columns) * bytes;
  };
  const double d_bytes = bytes_of(s.m, s.n, s.d_bytes);
  const double matrices = bytes_of(s.m, s.k, s.a_bytes) + bytes_of(s.k, s.n, s.b_bytes) + d_bytes * (s.adds ? 2 : 1);
  const double bytes = s.memory_bytes > 0 ? s.memory_bytes : matrices;
  const double stream_ns = bytes / (device.dram_gbs * kernels.stream_share);
  const double l2_bytes_per_ns = kernels.l2_bytes * clocks_per_ns * device.sms;
  const auto together = [&](double a, double b, double c) {
    return std::pow(std::pow(a, kernels.norm) + std::pow(b, kernels.norm) + std::pow(c, kernels.norm),
                    1 / kernels.norm);
  };
  LibraryTime best;
  // With a vector, these types have kernels without tiles, which stream the matrix.
  const bool streams = std::min(s.m, s.n) == 1 && (s.unit == Unit::kF32 || s.unit == Unit::kF64);
  for (const Tile& tile : kTiles) {
    const int64_t tiles = ceil_of(s.m, tile.rows) * ceil_of(s.n, tile.columns) * s.batches;
    const double area = tile.rows * tile.columns, edges = tile.rows + tile.columns, use = area / edges;
    const double share = kernels.ceiling * use / (use + kernels.half_tile);
    for (const int split : kSplits) {
      if (split > 1 && (!s.splits || streams || ceil_of(s.k, split) < kLeastDepth)) break;
      const auto depth = static_cast<double>(ceil_of(std::max<int64_t>(s.k, 1), split));
      const auto blocks = static_cast<double>(tiles * split);
      const double tile_ns =
          area * depth * rate.operations / (flops_per_ns_sm * share) + depth * kernels.step_clocks / clocks_per_ns;
      const double compute_ns =
          streams ? 0 : std::ceil(blocks / device.sms) * tile_ns * (s.aligned ? 1 : kernels.misaligned);
      const double l2_ns =
          streams ? 0 : blocks * depth * (tile.rows * s.a_bytes + tile.columns * s.b_bytes) / l2_bytes_per_ns;
      const double split_ns = split > 1 ? kernels.split_ns + d_bytes * split * 2 / device.dram_gbs : 0;
      const double ns = kernels.start_ns + together(compute_ns, stream_ns, l2_ns) + split_ns;
      if (best.ns > 0 && ns >= best.ns) continue;
      best.ns = ns;
      best.limited_by = largest(compute_ns, stream_ns, l2_ns, kernels.start_ns + split_ns);
      best.sm_share = std::min(1.0, blocks / device.sms);
      best.grid = {static_cast<uint32_t>(ceil_of(s.m, tile.rows)), static_cast<uint32_t>(ceil_of(s.n, tile.columns)),
                   static_cast<uint32_t>(s.batches * split)};
    }
  }
  best.block = {kThreads, 1, 1};
  best.low_ns = best.ns * model::kLibraryBandLow;
  best.high_ns = best.ns * model::kLibraryBandHigh;
  return best;
}

LibraryTime streaming_time(double bytes, double flops, const gpu::Device& device) {
  constexpr double kBlockBytes = 64 * 1024;
  const double stream_ns = bytes / (device.dram_gbs * kStreamShare), compute_ns = flops / (device.fp32_tflops * 1e3);
  const double blocks = std::max(1.0, std::ceil(bytes / kBlockBytes));
  return {.ns = kStartNs + std::max(stream_ns, compute_ns),
          .limited_by = largest(compute_ns, stream_ns, 0, kStartNs),
          .sm_share = std::min(1.0, blocks / device.sms),
          .grid = {static_cast<uint32_t>(std::min(blocks, 2147483647.0)), 1, 1},
          .block = {kThreads, 1, 1}};
}

}  // namespace warplens::libraries
