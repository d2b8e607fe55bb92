#include "warplens/libraries/time/batch_norm_time.h"

#include <algorithm>

namespace warplens::libraries {
namespace {

// cuDNN's kernels for pixels side by side, as a recording of an H200 shows them: a block of 512 threads passes over
// each channel, and two blocks run on an SM at once.
constexpr double kNormStartNs = 2000;
constexpr int64_t kBlocksAnSm = 2;
constexpr int64_t kKeptElements = 16384;  // by a block's registers; a longer channel is read twice
struct NormPass {
  double block_ns, element_ns;
  bool reads_again;  // a channel that is too long
};
constexpr NormPass kNormForward = {1900, 0.184, true}, kNormGradient = {1630, 0.867, false};
constexpr double kForwardTensors = 3, kGradientTensors = 5;  // read or written

}  // namespace

LibraryTime batch_norm_time(const BatchNormShape& s, const gpu::Device& device) {
  const int64_t elements = s.images * s.space;
  const double bytes = static_cast<double>(elements * s.channels) * s.element_bytes;
  LibraryTime out = streaming_time(bytes * (s.gradient ? kGradientTensors : kForwardTensors), 0, device);
  if (s.channels_last) return out;  // other kernels, which were not measured
  const NormPass& pass = s.gradient ? kNormGradient : kNormForward;
  const int passes = pass.reads_again && elements > kKeptElements ? 2 : 1;
  const auto rounds = static_cast<double>(ceil_of(s.channels, device.sms * kBlocksAnSm));
  const double blocks_ns =
      kNormStartNs + rounds * (pass.block_ns + passes * static_cast<double>(elements) * pass.element_ns);
  if (blocks_ns > out.ns) out.limited_by = "its blocks, one for a channel";
  out.ns = std::max(out.ns, blocks_ns);
  out.warm_ns = blocks_ns;
  out.sm_share = std::min(1.0, static_cast<double>(s.channels) / device.sms);
  out.grid = {static_cast<uint32_t>(std::max<int64_t>(s.channels, 1)), 1, 1};
  out.block = {512, 1, 1};
  return out;
}

}  // namespace warplens::libraries
