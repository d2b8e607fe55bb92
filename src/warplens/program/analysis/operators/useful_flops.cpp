#include <algorithm>
#include <array>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/shapes.h"

namespace warplens::analysis {
namespace {

using Inputs = std::vector<InputShape>;
using Concrete = std::vector<std::string>;

double count(const Shape& shape) {
  double product = 1;
  for (const int64_t dim : shape) product *= static_cast<double>(dim);
  return product;
}

/// What an operator's inputs are; indices are places in its argument list.
struct MatmulForm {
  std::string_view name;
  size_t left;  // the left matrix; the right one follows
};
constexpr std::array<MatmulForm, 9> kMatmuls = {{{"aten::mm", 0},
                                                 {"aten::addmm", 1},
                                                 {"aten::addmm_", 1},
                                                 {"aten::_addmm_activation", 1},
                                                 {"aten::bmm", 0},
                                                 {"aten::baddbmm", 1},
                                                 {"aten::baddbmm_", 1},
                                                 {"aten::_scaled_mm", 0},
                                                 {"aten::_int_mm", 0}}};

struct AttentionForm {
  std::string_view name;
  size_t query;      // place of the query; key and value follow
  size_t causal;     // place of is_causal
  bool heads_first;  // (batch, heads, length, size) rather than (batch, length, heads, size)
  bool backward;
};
// From aten/src/ATen/native/native_functions.yaml, and the flash-attn package's own operators.
constexpr std::array<AttentionForm, 14> kAttentions = {{
    {"aten::scaled_dot_product_attention", 0, 5, true, false},  // launches itself in few traces
    {"aten::_scaled_dot_product_flash_attention", 0, 4, true, false},
    {"aten::_scaled_dot_product_efficient_attention", 0, 6, true, false},
    {"aten::_scaled_dot_product_cudnn_attention", 0, 6, true, false},
    {"aten::_scaled_dot_product_fused_attention_overrideable", 0, 5, true, false},
    {"aten::_scaled_dot_product_flash_attention_backward", 1, 11, true, true},
    {"aten::_scaled_dot_product_efficient_attention_backward", 1, 11, true, true},
    {"aten::_scaled_dot_product_cudnn_attention_backward", 1, 14, true, true},
    {"aten::_cudnn_attention_forward", 0, 10, true, false},
    {"aten::_cudnn_attention_backward", 1, 14, true, true},
    {"aten::_flash_attention_forward", 0, 8, false, false},
    {"aten::_flash_attention_backward", 1, 11, false, true},
    {"flash_attn::_flash_attn_forward", 0, 5, false, false},
    {"flash_attn::_flash_attn_backward", 1, 11, false, true},
}};

double matmul(const Inputs& in, size_t left) {
  if (in.size() < left + 2 || in[left].dims.size() < 2 || in[left + 1].dims.size() < 2) return 0;
  return 2 * count(in[left].dims) * static_cast<double>(in[left + 1].dims.back());
}

bool is_true(const Concrete& concrete, size_t place) { return place < concrete.size() && concrete[place] == "True"; }

/// Query-key pairs of one head; a causal mask leaves each query the keys up to its own place.
double pairs(double queries, double keys, bool causal) {
  if (!causal) return queries * keys;
  const double square = std::min(queries, keys);
  return square * (square + 1) / 2 + std::max(queries - keys, 0.0) * keys;
}

double attention(const AttentionForm& form, const Inputs& in, const Concrete& concrete) {
  if (in.size() < form.query + 3) return 0;
  const Shape &q = in[form.query].dims, &k = in[form.query + 1].dims, &v = in[form.query + 2].dims;
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return 0;
  const size_t heads = form.heads_first ? 1 : 2, length = form.heads_first ? 2 : 1;
  const double per_head =
      pairs(static_cast<double>(q[length]), static_cast<double>(k[length]), is_true(concrete, form.causal));
  const double forward = 2 * static_cast<double>(q[0]) * static_cast<double>(q[heads]) * per_head *
                         (static_cast<double>(q[3]) + static_cast<double>(v[3]));
  return form.backward ? 2.5 * forward : forward;
}

/// aten::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
double convolution(const Inputs& in, const Concrete& concrete) {
  if (in.size() < 2 || concrete.size() < 9 || in[0].dims.size() < 3 || in[0].dims.size() != in[1].dims.size()) return 0;
  const Shape &x = in[0].dims, &w = in[1].dims;
  // Each input element meets every weight of its group once in a transposed convolution.
  if (is_true(concrete, 6)) return 2 * count(x) * count(w) / static_cast<double>(w[0]);
  const auto numbers = [&](size_t place) {
    const auto list = parse_shapes("[" + concrete[place] + "]");
    return list && !list->empty() ? list->front().dims : Shape{};
  };
  const Shape stride = numbers(3), padding = numbers(4), dilation = numbers(5);
  const size_t spatial = x.size() - 2;
  if (stride.size() != spatial || padding.size() != spatial || dilation.size() != spatial) return 0;
  double outputs = static_cast<double>(x[0]) * static_cast<double>(w[0]);
  for (size_t i = 0; i < spatial; ++i) {
    if (stride[i] == 0) return 0;
    const auto window = static_cast<double>(dilation[i]) * (static_cast<double>(w[i + 2]) - 1) + 1;
    const double room = static_cast<double>(x[i + 2]) + 2 * static_cast<double>(padding[i]) - window;
    outputs *= std::floor(room / static_cast<double>(stride[i])) + 1;
  }
  return 2 * outputs * count(w) / static_cast<double>(w[0]);
}

/// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
/// output_padding, groups, output_mask): as many operations for each of the two gradients as forward.
double convolution_backward(const Inputs& in, const Concrete& concrete) {
  if (in.size() < 3 || concrete.size() < 11 || in[0].dims.size() < 3 || in[2].dims.size() < 3) return 0;
  const bool transposed = is_true(concrete, 7);
  const double forward =
      2 * count(transposed ? in[1].dims : in[0].dims) * count(in[2].dims) / static_cast<double>(in[2].dims[0]);
  const std::string& mask = concrete[10];  // "[True, True, False]"
  const int gradients = mask.starts_with("[True, True")                             ? 2
                        : contains(mask, "[True") || contains(mask, "[False, True") ? 1
                                                                                    : 0;
  return gradients * forward;
}

std::optional<double> given(double flops) { return flops > 0 ? std::optional(flops) : std::nullopt; }

}  // namespace

std::optional<size_t> attention_query(std::string_view name) {
  for (const AttentionForm& form : kAttentions) {
    if (form.name == name) return form.query;
  }
  return std::nullopt;
}

bool has_useful_flops(std::string_view name) {
  const auto named = [&](const auto& form) { return form.name == name; };
  return std::any_of(kMatmuls.begin(), kMatmuls.end(), named) ||
         std::any_of(kAttentions.begin(), kAttentions.end(), named) || name == "aten::convolution" ||
         name == "aten::convolution_backward";
}

std::optional<double> useful_flops(const Profile& profile, uint32_t op) {
  const std::string_view name = profile.text(profile.operators.name[op]);
  if (!has_useful_flops(name)) return std::nullopt;
  const auto inputs = parse_shapes(profile.text(profile.operators.input_shapes[op]));
  if (!inputs) return std::nullopt;
  for (const MatmulForm& form : kMatmuls) {
    if (form.name == name) return given(matmul(*inputs, form.left));
  }
  const Concrete concrete = parse_string_array(profile.text(profile.operators.concrete_inputs[op]));
  for (const AttentionForm& form : kAttentions) {
    if (form.name == name) return given(attention(form, *inputs, concrete));
  }
  return given(name == "aten::convolution" ? convolution(*inputs, concrete) : convolution_backward(*inputs, concrete));
}

}  // namespace warplens::analysis
