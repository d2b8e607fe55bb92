#include "warplens/libraries/time/convolution_time.h"

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
  out.low_ns += ns;
  out.high_ns += ns;
}

// Kernels that turn a tensor, and that sum up the images' parts of a filter's gradient, on an H100.
constexpr double kTurnStartNs = 1650, kTurnRate = 2300 /* bytes a ns, read and written */, kSumNs = 1570;

}  // namespace

LibraryTime convolution_time(const ConvolutionShape& s, const gpu::Device& device) {
  const bool plain = s.filter_space == 1 && s.input_space == s.output_space;
  const bool tensor_cores = s.unit != Unit::kF32 && s.unit != Unit::kF64;
  ProductShape product = plain ? plain_product_of(s) : product_of(s);
  product.implicit = !plain;
  product.splits = s.result == ConvolutionResult::kFilter || plain;
  const double input = static_cast<double>(s.images * s.channels * s.input_space) * s.element_bytes;
  const double output = static_cast<double>(s.images * s.filters * s.output_space) * s.element_bytes;
  const double filter = static_cast<double>(s.filters * s.channels / s.groups * s.filter_space) * s.element_bytes;
  product.memory_bytes = input + output + filter;  // each element once, however many taps meet it
  LibraryTime out = product_time(product, device);
  if (plain && !s.channels_last && s.result == ConvolutionResult::kFilter) add(kSumNs, out);
  if (plain || s.channels_last || !tensor_cores) return out;
  for (const double bytes : {input, filter, output}) add(kTurnStartNs + 2 * bytes / kTurnRate, out);
  return out;
}

}  // namespace warplens::libraries
