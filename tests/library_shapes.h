// Lines of benchmarks/gpu/library_shapes.py as the shapes that libraries/time models.
#pragma once
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "warplens/libraries/time/attention_time.h"
#include "warplens/libraries/time/convolution_time.h"
#include "warplens/libraries/time/product_time.h"

namespace warplens::tests {

struct ElementKind {
  libraries::Unit unit;
  int bytes;
};
inline ElementKind element_kind(const std::string& name) {
  using libraries::Unit;
  static const std::map<std::string, ElementKind> kKinds = {{"bf16", {Unit::kF16, 2}},
                                                            {"f16", {Unit::kF16, 2}},
                                                            {"f32", {Unit::kF32, 4}},
                                                            {"tf32", {Unit::kTf32, 4}},
                                                            {"f64", {Unit::kF64, 8}}};
  return kKinds.at(name);
}

/// KIND m n k batches transposed.
inline libraries::ProductShape product_line(std::istream& words) {
  std::string kind, transposed;
  libraries::ProductShape s;
  words >> kind >> s.m >> s.n >> s.k >> s.batches >> transposed;
  const auto [unit, bytes] = element_kind(kind);
  s.unit = unit;
  s.a_bytes = s.b_bytes = s.d_bytes = bytes;
  const int64_t a_line = transposed[0] == 'N' ? s.m : s.k, b_line = transposed[1] == 'N' ? s.k : s.n;
  s.aligned = a_line * bytes % 16 == 0 && b_line * bytes % 16 == 0 && s.m * bytes % 16 == 0;
  return s;
}

/// PASS KIND images channels height width filters size stride groups layout.
inline libraries::ConvolutionShape convolution_line(std::istream& words) {
  std::string pass, kind, layout;
  int64_t height = 0, width = 0, size = 0, stride = 0;
  libraries::ConvolutionShape s;
  words >> pass >> kind >> s.images >> s.channels >> height >> width >> s.filters >> size >> stride >> s.groups >>
      layout;
  const auto [unit, bytes] = element_kind(kind);
  s.unit = unit;
  s.element_bytes = bytes;
  using libraries::ConvolutionResult;
  s.result = pass == "forward" ? ConvolutionResult::kOutput
             : pass == "dgrad" ? ConvolutionResult::kInput
                               : ConvolutionResult::kFilter;
  const int64_t pad = size == stride ? 0 : size / 2, high = height == 1 ? 1 : size;
  const auto output = [&](int64_t length) { return (length + 2 * pad - size) / stride + 1; };
  s.input_space = height * width;
  s.output_space = (height == 1 ? 1 : output(height)) * output(width);
  s.filter_space = high * size;
  s.channels_last = layout == "nhwc";
  return s;
}

/// PASS KIND images heads queries keys depth causal.
inline libraries::AttentionShape attention_line(std::istream& words) {
  std::string pass, kind;
  int64_t images = 0, heads = 0;
  int causal = 0;
  libraries::AttentionShape s;
  words >> pass >> kind >> images >> heads >> s.queries >> s.keys >> s.depth >> causal;
  s.heads = images * heads;
  s.masked = causal != 0;
  s.gradient = pass == "backward";
  const int tensors = s.gradient ? 4 : 2;  // of the queries' length, and of the keys'
  const auto elements = static_cast<double>(s.heads * (s.queries + s.keys) * s.depth);
  s.memory_bytes = elements * tensors * element_kind(kind).bytes;
  return s;
}

/// `product`, `conv` or `attention`, and its shape.
inline libraries::LibraryTime time_of_line(const std::string& line, const gpu::Device& device) {
  std::istringstream words(line);
  std::string what;
  words >> what;
  if (what == "product") return libraries::product_time(product_line(words), device);
  if (what == "conv") return libraries::convolution_time(convolution_line(words), device);
  return libraries::attention_time(attention_line(words), device);
}

}  // namespace warplens::tests
