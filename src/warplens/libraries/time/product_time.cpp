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

/// Of a library's kernels for one kind of element.
struct KernelModel {
  double start_ns;      // a product of nothing
  double ceiling;       // of the unit's peak, in a tile without edges
  double half_tile;     // rows * columns / (rows + columns) at which a tile reaches half of that
  double step_clocks;   // a step of the depth costs beside its arithmetic
  double stream_share;  // of DRAM's bandwidth
  double split_ns;      // of summing up what splits leave
  double norm;          // by which arithmetic, DRAM and L2 combine
  double l2_bytes;      // a clock, an SM
  double warm_bytes;    // a ns, of operands in L2
};
/// cuBLAS's, fitted to 200 shapes on an H200 whose operands were in DRAM (benchmarks/gpu/library_times.py, set `fit`),
/// and to 190 shapes on an H100 with operands in L2 (library_shapes.py, set `models`). The set `check` judged them.
KernelModel kernels_of(Unit unit) {
  switch (unit) {
    case Unit::kF16:
    case Unit::kF8:
    case Unit::kI8: return {2090, 1.0, 0.006, 2.26, 0.777, 3050, 4.29, 45.3, 6200};
    case Unit::kTf32: return {2435, 1.0, 10.7, 6.98, 0.857, 2916, 1.656, 114.8, 2900};
    case Unit::kF64:
    case Unit::kC128: return {2618, 0.978, 9.11, 0, 0.572, 1444, 10, 62.8, 2745};
    case Unit::kF32:
    case Unit::kC64: break;
  }
  return {2394, 0.944, 11.65, 14.24, 0.405, 3667, 2.66, 105.2, 1850};
}

/// cuBLAS's for lines that 16-byte accesses cannot begin at, fitted to the same sets: they load single elements.
KernelModel misaligned_kernels_of(Unit unit) {
  switch (unit) {
    case Unit::kF16:
    case Unit::kF8:
    case Unit::kI8: return {2713, 0.177, 0.408, 8.91, 0.418, 2447, 1.0, 774.7, 3900};
    case Unit::kTf32: return {3624, 0.222, 0.135, 4.72, 0.854, 2160, 1.454, 243.2, 3900};
    case Unit::kF64:
    case Unit::kC128: return {2618, 0.627, 9.11, 0, 0.572, 1444, 10, 62.8, 2745};
    case Unit::kF32:
    case Unit::kC64: break;
  }
  return kernels_of(unit);
}

/// cuDNN's for convolutions, fitted to 150 shapes on an H100 with operands in L2 (library_shapes.py, set `models`).
KernelModel implicit_kernels_of(Unit unit) {
  switch (unit) {
    case Unit::kF16:
    case Unit::kF8:
    case Unit::kI8: return {3922, 0.89, 3.43, 4.11, 0.777, 3144, 3.38, 33.8, 3900};
    case Unit::kTf32: return {4700, 0.89, 5.65, 6.58, 0.857, 9000, 3.09, 28.8, 3900};
    case Unit::kF64:
    case Unit::kC128: return kernels_of(unit);
    case Unit::kF32:
    case Unit::kC64: break;
  }
  return {3195, 0.641, 1.69, 31.1, 0.405, 11920, 1.2, 5841, 3098};
}

KernelModel kernels_of(const ProductShape& s) {
  if (s.implicit) return implicit_kernels_of(s.unit);
  return s.aligned ? kernels_of(s.unit) : misaligned_kernels_of(s.unit);
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

double bytes_of(const ProductShape& s, int64_t rows, int64_t columns, int element_bytes) {
  return static_cast<double>(s.batches) * static_cast<double>(rows) * static_cast<double>(columns) * element_bytes;
}

/// The best tile and split, if the operands stream by in `stream_ns`.
LibraryTime best_time(const ProductShape& s, const KernelModel& kernels, double stream_ns, const gpu::Device& device) {
  const Rate rate = rate_of(s.unit, device);
  const double flops_per_ns_sm = rate.tflops * 1e3 / device.sms, clocks_per_ns = device.clock_hz() * 1e-9;
  const double d_bytes = bytes_of(s, s.m, s.n, s.d_bytes);
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
      const double compute_ns = streams ? 0 : std::ceil(blocks / device.sms) * tile_ns;
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
  return best;
}

}  // namespace

bool fits_l2(double bytes, const gpu::Device& device) {
  constexpr double kUsable = 2 / 3.0;  // data from L2's other half is in both
  return bytes <= kUsable * device.l2_mb * 1024 * 1024;
}

LibraryTime product_time(const ProductShape& s, const gpu::Device& device) {
  const KernelModel kernels = kernels_of(s);
  const double matrices = bytes_of(s, s.m, s.k, s.a_bytes) + bytes_of(s, s.k, s.n, s.b_bytes) +
                          bytes_of(s, s.m, s.n, s.d_bytes) * (s.adds ? 2 : 1);
  const double bytes = s.memory_bytes > 0 ? s.memory_bytes : matrices;
  const double stream_ns = bytes / (device.dram_gbs * kernels.stream_share), l2_ns = bytes / kernels.warm_bytes;
  LibraryTime out = best_time(s, kernels, stream_ns, device);
  out.warm_ns = fits_l2(bytes, device) && l2_ns < stream_ns ? best_time(s, kernels, l2_ns, device).ns : out.ns;
  out.block = {kThreads, 1, 1};
  out.low_ns = out.ns * model::kLibraryBandLow;
  out.high_ns = out.ns * model::kLibraryBandHigh;
  return out;
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
