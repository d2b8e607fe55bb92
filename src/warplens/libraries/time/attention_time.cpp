#include "warplens/libraries/time/attention_time.h"

#include <algorithm>
#include <cmath>

#include "warplens/model/constants.h"

namespace warplens::libraries {
namespace {

// cuDNN's kernels for Hopper, as recordings of an H200 show them: a block takes 128 queries through steps of 128 keys.
constexpr int64_t kAttentionTile = 128;
constexpr double kEmptyNs = 2900;             // a block without steps
constexpr double kFillNs = 735;               // before it, a fill of the counter by which blocks take their work
constexpr double kNextBlockNs = 850;          // between two blocks of an SM
constexpr int64_t kNarrowestHead = 64;        // narrower heads take as long
constexpr double kExponentialsAClock = 16;    // of an SM
constexpr double kLanesAClock = 128;          // of an SM
constexpr double kInstructionsAScore = 1;     // beside products and exponentials: scale, maximum, sum
constexpr double kGradientInstructions = 20;  // of a score: the weights' gradient, and sums over keys in memory
constexpr double kDropoutInstructions = 52;   // of a score: the generator's rounds
constexpr int kForwardProducts = 2, kGradientProducts = 5;

/// Steps of all blocks of one head.
double steps_of(const AttentionShape& s) {
  const int64_t rows = ceil_of(s.queries, kAttentionTile), columns = ceil_of(s.keys, kAttentionTile);
  if (!s.masked) return static_cast<double>(rows * columns);
  double out = 0;
  for (int64_t row = 0; row < rows; ++row) out += static_cast<double>(std::min(row + 1, columns));
  return out;
}

/// A single query: blocks of an older kernel pass over the keys, 64 a step. If there are few heads, several blocks
/// share one's keys, 128 a step, and a kernel adds up. Fitted to ten shapes on an H100.
double single_query_ns(const AttentionShape& s, const gpu::Device& device) {
  constexpr double kStartNs = 2650, kStepNs = 680, kWideStepNs = 750, kSumNs = 1900;
  constexpr int64_t kKeys = 64, kWideKeys = 128, kSplitKeys = 1024;
  const int64_t parts = std::clamp<int64_t>(device.sms / std::max<int64_t>(s.heads, 1), 1, 16);
  if (s.keys < kSplitKeys || parts == 1) return kStartNs + kStepNs * static_cast<double>(ceil_of(s.keys, kKeys) - 1);
  return kStartNs + kWideStepNs * static_cast<double>(ceil_of(ceil_of(s.keys, kWideKeys), parts) - 1) + kSumNs;
}

LibraryTime of_single_query(const AttentionShape& s, const gpu::Device& device) {
  const double steps_ns = single_query_ns(s, device), stream_ns = kEmptyNs + s.memory_bytes / device.dram_gbs;
  LibraryTime out{.ns = std::max(steps_ns, stream_ns)};
  out.warm_ns = fits_l2(s.memory_bytes, device) ? steps_ns : out.ns;
  out.limited_by = stream_ns > steps_ns ? "DRAM" : "its start";
  out.sm_share = std::min(1.0, static_cast<double>(s.heads) / device.sms);
  out.grid = {static_cast<uint32_t>(std::max<int64_t>(s.heads, 1)), 1, 1};
  out.block = {128, 1, 1};
  return out;
}

}  // namespace

LibraryTime attention_time(const AttentionShape& s, const gpu::Device& device) {
  if (s.queries == 1 && !s.gradient) return of_single_query(s, device);
  const double clocks_per_ns = device.clock_hz() * 1e-9;
  const double flops_a_clock = device.half_tflops * 1e3 / device.sms / clocks_per_ns;
  const auto scores = static_cast<double>(kAttentionTile * kAttentionTile);
  const int products = s.gradient ? kGradientProducts : kForwardProducts;
  const double instructions =
      kInstructionsAScore + (s.gradient ? kGradientInstructions : 0) + (s.drops ? kDropoutInstructions : 0);
  const auto depth = static_cast<double>(std::max(s.depth, kNarrowestHead));
  // The products of a step wait for its exponentials, so the two add up.
  const double step_clocks = 2.0 * products * scores * depth / flops_a_clock + scores / kExponentialsAClock +
                             scores * instructions / kLanesAClock;
  const double steps = steps_of(s), blocks = static_cast<double>(s.heads * ceil_of(s.queries, kAttentionTile));
  const double of_block = steps * static_cast<double>(s.heads) / std::max(blocks, 1.0);
  // Blocks of equal length go in waves; those of a mask fill each other's gaps.
  const double rounds = s.masked ? std::max(blocks / device.sms, 1.0) : std::ceil(blocks / device.sms);
  const double compute_ns = rounds * of_block * step_clocks / clocks_per_ns + (rounds - 1) * kNextBlockNs;
  const double stream_ns = s.memory_bytes / device.dram_gbs;
  LibraryTime out{.ns = kFillNs + kEmptyNs + std::max(compute_ns, stream_ns)};
  out.warm_ns = fits_l2(s.memory_bytes, device) ? kFillNs + kEmptyNs + compute_ns : out.ns;
  if (s.gradient) {  // two kernels around it: the rows' sums of output times gradient, and the queries' gradient
                     // rounded
    const double elements = static_cast<double>(s.heads * s.queries * s.depth);
    constexpr double kSumBytes = 4, kRoundedBytes = 6;
    const double around_ns =
        streaming_time(elements * kSumBytes, 0, device).ns + streaming_time(elements * kRoundedBytes, 0, device).ns;
    out.ns += around_ns;
    out.warm_ns += around_ns;
  }
  out.limited_by = compute_ns > stream_ns ? "compute" : "DRAM";
  out.sm_share = std::min(1.0, blocks / device.sms);
  out.grid = {static_cast<uint32_t>(std::min<double>(std::max(blocks, 1.0), device.sms)), 1, 1};
  out.block = {384, 1, 1};
  return out;
}

}  // namespace warplens::libraries
