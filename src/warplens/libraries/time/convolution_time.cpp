#include "warplens/libraries/time/convolution_time.h"

#include <algorithm>

#include "warplens/model/convolution_band.h"

namespace warplens::libraries {
namespace {

/// The product: of the output, a row a pixel and a column a filter; of the gradients likewise.
ProductShape product_of(const ConvolutionShape& s) {
  const int64_t pixels = s.images * s.output_space, taps = s.channels / s.groups * s.filter_space;
  const int64_t filters = s.filters / s.groups, channels = s.channels / s.groups;
  ProductShape out{.batches = s.groups, .unit = s.unit};
  out.a_bytes = out.b_bytes = out.d_bytes = s.element_bytes;
  switch (s.result) {
    case ConvolutionResult::kOutput: out.m = pixels, out.n = filters, out.k = taps; break;
    case ConvolutionResult::kFilter: out.m = filters, out.n = taps, out.k = pixels; break;
    case ConvolutionResult::kInput: {  // with a stride, a pixel of the input meets a part of the taps
      out.m = s.images * s.input_space;
      out.n = channels;
      const double meetings = static_cast<double>(pixels) * static_cast<double>(filters * s.filter_space);
      out.k = static_cast<int64_t>(meetings / static_cast<double>(out.m) + 0.5);
      break;
    }
  }
  constexpr int64_t kAlignedBytes = 16;
  const int64_t lines = s.result == ConvolutionResult::kInput ? filters : channels;  // what lies side by side in memory
  out.aligned = lines * s.element_bytes % kAlignedBytes == 0;
  return out;
}

/// Of a filter of one pixel: a product of matrices as they are. If the channels lie apart, a product for each image.
ProductShape plain_product_of(const ConvolutionShape& s) {
  ProductShape out = product_of(s);
  if (s.channels_last || s.result == ConvolutionResult::kFilter) return out;
  out.m = s.input_space;
  out.batches *= s.images;
  constexpr int64_t kAlignedBytes = 16;
  out.aligned = s.input_space * s.element_bytes % kAlignedBytes == 0;
  return out;
}

void add(double ns, LibraryTime& out) {
  out.ns += ns;
  out.warm_ns += ns;
}

/// A tensor: elements, those that lie side by side for one channel, bytes.
struct Tensor {
  double elements;
  int64_t space;
  double bytes;
};
struct Tensors {
  Tensor input, output, filter;
};
Tensors tensors_of(const ConvolutionShape& s) {
  const auto tensor = [&](int64_t lines, int64_t space) {
    const auto elements = static_cast<double>(lines * space);
    return Tensor{elements, space, elements * s.element_bytes};
  };
  return {tensor(s.images * s.channels, s.input_space), tensor(s.images * s.filters, s.output_space),
          tensor(s.filters * (s.channels / s.groups), s.filter_space)};
}
double bytes_of(const Tensors& t) { return t.input.bytes + t.output.bytes + t.filter.bytes; }

/// A kernel that exchanges channels and pixels, as an H100 ran 150 of them: through squares of shared memory, of 32
/// pixels, so that a filter's few pixels leave most of a square empty. What L2 cannot hold twice streams through DRAM.
double turn_ns(const Tensor& t, const gpu::Device& device) {
  constexpr double kStartNs = 1500, kElementsPerNs = 900, kStreamShare = 0.75;
  constexpr int64_t kSquare = 32;
  const double use = static_cast<double>(t.space) / static_cast<double>(ceil_of(t.space, kSquare) * kSquare);
  const double stream_ns = fits_l2(3 * t.bytes, device) ? 0 : 2 * t.bytes / (device.dram_gbs * kStreamShare);
  return kStartNs + std::max(t.elements / (kElementsPerNs * use), stream_ns);
}

/// Fills a tensor with zeros, and copies the channels there are.
double pad_ns(const Tensor& t, const gpu::Device& device) {
  constexpr double kFillNs = 1000;
  return kFillNs + turn_ns(t, device);
}

bool has_tensor_cores(const ConvolutionShape& s) { return s.unit != Unit::kF32 && s.unit != Unit::kF64; }

/// Products on tensor cores want the channels closest, in whole lines of 16 bytes: where they are not, kernels of their
/// own turn and pad input, filter and output. Those in float32 want the pixels closest, except for a filter's gradient.
LibraryTime implicit_time(ConvolutionShape s, const gpu::Device& device) {
  const Tensors all = tensors_of(s);
  const bool filter = s.result == ConvolutionResult::kFilter, wants_last = has_tensor_cores(s) || filter;
  double around_ns = 0;
  if (wants_last != s.channels_last) {
    for (const Tensor& t : {all.input, all.output, all.filter}) around_ns += turn_ns(t, device);
  }
  const int64_t line = 16 / s.element_bytes, padded = ceil_of(s.channels / s.groups, line) * line * s.groups;
  if (has_tensor_cores(s) && padded != s.channels) {
    if (s.channels_last) around_ns += pad_ns(all.input, device) + pad_ns(all.filter, device);
    s.channels = padded;
  }
  ProductShape product = product_of(s);
  product.implicit = true;
  product.splits = filter || (!has_tensor_cores(s) && s.result == ConvolutionResult::kInput);
  product.memory_bytes = bytes_of(all);  // each element once, however many taps meet it
  LibraryTime out = product_time(product, device);
  add(around_ns, out);
  return out;
}

/// Kernels in float32 take the tensors as they are, so small work is done before tensor cores would have theirs.
LibraryTime direct_time(ConvolutionShape s, const gpu::Device& device) {
  const double bytes = bytes_of(tensors_of(s));
  s.unit = Unit::kF32;
  ProductShape product = product_of(s);
  product.implicit = true;
  product.splits = s.result == ConvolutionResult::kFilter;
  product.memory_bytes = bytes;
  return product_time(product, device);
}

/// Winograd's way to a filter's gradient of 3 by 3: each square of 2 by 2 pixels becomes 16 numbers, which meet in 16
/// products. They take 16 multiplications where the definition takes 36.
LibraryTime winograd_time(const ConvolutionShape& s, const gpu::Device& device) {
  constexpr int64_t kNumbers = 16, kPixels = 4;
  constexpr double kStartNs = 1500, kBytesPerNs = 4500;  // of a kernel that makes these numbers, on an H100
  const Tensors all = tensors_of(s);
  ProductShape product{.m = s.channels, .n = s.filters, .batches = kNumbers, .unit = s.unit};
  product.k = ceil_of(s.images * s.output_space, kPixels);
  product.a_bytes = product.b_bytes = product.d_bytes = s.element_bytes;
  LibraryTime out = product_time(product, device);
  for (const Tensor& t : {all.input, all.output}) {
    constexpr double kPasses = 1 + static_cast<double>(kNumbers) / kPixels;  // read once, written four times as large
    add(kStartNs + kPasses * t.bytes / kBytesPerNs, out);
    if (s.channels_last) add(turn_ns(t, device), out);
  }
  return out;
}

LibraryTime one_pixel_time(const ConvolutionShape& s, const gpu::Device& device) {
  ProductShape product = plain_product_of(s);
  product.memory_bytes = bytes_of(tensors_of(s));
  LibraryTime out = product_time(product, device);
  constexpr double kSumNs = 1570;  // of the images' parts of a filter's gradient, on an H100
  if (!s.channels_last && s.result == ConvolutionResult::kFilter) add(kSumNs, out);
  return out;
}

/// A filter for each channel: no products, but a thread for each pixel, which passes over the taps. Fitted to kernels
/// on an H100.
LibraryTime depthwise_time(const ConvolutionShape& s, const gpu::Device& device) {
  constexpr double kStartNs = 1300, kTapNs = 62, kPeakShare = 0.085, kWarmBytes = 2700, kStreamShare = 0.8;
  constexpr double kSumNs = 2400;  // of a filter's gradient: a fill, and a sum of the blocks' parts
  const Tensors all = tensors_of(s);
  const double bytes = bytes_of(all), steps = 2 * all.output.elements * static_cast<double>(s.filter_space);
  const double compute_ns = steps / (device.fp32_tflops * 1e3 * kPeakShare),
               stream_ns = bytes / (device.dram_gbs * kStreamShare);
  const bool filter = s.result == ConvolutionResult::kFilter;
  const double start_ns = kStartNs + kTapNs * static_cast<double>(s.filter_space) + (filter ? kSumNs : 0);
  LibraryTime out{.ns = start_ns + std::max(compute_ns, stream_ns)};
  out.warm_ns = fits_l2(bytes, device) ? start_ns + std::max(compute_ns, bytes / kWarmBytes) : out.ns;
  out.limited_by = compute_ns > stream_ns ? "compute" : "DRAM";
  out.block = {256, 1, 1};
  out.grid = {static_cast<uint32_t>(std::clamp(all.output.elements / 256, 1.0, 2147483647.0)), 1, 1};
  out.sm_share = std::min(1.0, all.output.elements / 256 / device.sms);
  return out;
}

/// Whichever of cuDNN's ways is shortest.
LibraryTime dense_time(const ConvolutionShape& s, const gpu::Device& device) {
  LibraryTime out = implicit_time(s, device);
  constexpr int64_t kWinogradSpace = 9;
  if (s.unit == Unit::kF32 && s.result == ConvolutionResult::kFilter && s.groups == 1 &&
      s.filter_space == kWinogradSpace && s.input_space == s.output_space) {
    const LibraryTime winograd = winograd_time(s, device);
    if (winograd.warm_ns < out.warm_ns) return winograd;
  }
  if (!has_tensor_cores(s) || s.channels_last || s.result == ConvolutionResult::kInput) return out;
  const LibraryTime direct = direct_time(s, device);
  return direct.warm_ns < out.warm_ns ? direct : out;
}

/// Tensor cores take all groups in one kernel if each has as many filters as channels, and a tile holds several groups.
bool groups_share_a_kernel(const ConvolutionShape& s) {
  constexpr int64_t kTileChannels = 64;
  return has_tensor_cores(s) && s.filter_space > 1 && s.channels == s.filters && s.channels / s.groups < kTileChannels;
}

/// Other groups of several channels run one after another, each with kernels of its own. Where the channels of all
/// groups lie side by side, each group's are copied out and back.
LibraryTime time_of_groups(ConvolutionShape s, const gpu::Device& device) {
  const auto groups = static_cast<double>(s.groups);
  s.channels /= s.groups;
  s.filters /= s.groups;
  s.groups = 1;
  LibraryTime out = dense_time(s, device);
  const Tensors all = tensors_of(s);
  if (s.channels_last) add(turn_ns(all.input, device) + turn_ns(all.output, device), out);
  for (double* ns : {&out.ns, &out.warm_ns}) *ns *= groups;
  return out;
}

LibraryTime way_time(const ConvolutionShape& s, const gpu::Device& device) {
  if (s.filter_space == 1 && s.input_space == s.output_space && s.groups == 1) return one_pixel_time(s, device);
  if (s.groups > 1 && s.groups == s.channels && s.groups == s.filters) return depthwise_time(s, device);
  return s.groups == 1 || groups_share_a_kernel(s) ? dense_time(s, device) : time_of_groups(s, device);
}

}  // namespace

LibraryTime convolution_time(const ConvolutionShape& s, const gpu::Device& device) {
  LibraryTime out = way_time(s, device);
  out.low_ns = out.ns * model::kConvolutionBandLow;
  out.high_ns = out.ns * model::kConvolutionBandHigh;
  return out;
}

}  // namespace warplens::libraries
