#include "warplens/program/analysis/operators/traffic.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/shapes.h"

namespace warplens::analysis {
namespace {

// Sorted by name.
struct PointwiseForm {
  std::string_view name;  // without aten:: and a trailing underscore
  size_t operands;        // inputs that may be tensors; a tensor behind them is an `out`
};
constexpr auto kPointwise = std::to_array<PointwiseForm>({{"abs", 1},
                                                          {"add", 2},
                                                          {"addcdiv", 3},
                                                          {"addcmul", 3},
                                                          {"bitwise_and", 2},
                                                          {"bitwise_not", 1},
                                                          {"bitwise_or", 2},
                                                          {"ceil", 1},
                                                          {"clamp", 1},
                                                          {"clamp_max", 1},
                                                          {"clamp_min", 1},
                                                          {"clone", 1},
                                                          {"copy", 2},
                                                          {"cos", 1},
                                                          {"div", 2},
                                                          {"elu", 1},
                                                          {"eq", 2},
                                                          {"erf", 1},
                                                          {"exp", 1},
                                                          {"expm1", 1},
                                                          {"floor", 1},
                                                          {"ge", 2},
                                                          {"gelu", 1},
                                                          {"gelu_backward", 2},
                                                          {"gt", 2},
                                                          {"hardswish", 1},
                                                          {"hardtanh", 1},
                                                          {"le", 2},
                                                          {"leaky_relu", 1},
                                                          {"leaky_relu_backward", 2},
                                                          {"lerp", 3},
                                                          {"log", 1},
                                                          {"log1p", 1},
                                                          {"logical_and", 2},
                                                          {"logical_not", 1},
                                                          {"logical_or", 2},
                                                          {"lt", 2},
                                                          {"masked_fill", 2},
                                                          {"maximum", 2},
                                                          {"minimum", 2},
                                                          {"mul", 2},
                                                          {"native_dropout", 1},
                                                          {"native_dropout_backward", 2},
                                                          {"ne", 2},
                                                          {"neg", 1},
                                                          {"pow", 2},
                                                          {"reciprocal", 1},
                                                          {"relu", 1},
                                                          {"round", 1},
                                                          {"rsqrt", 1},
                                                          {"rsub", 2},
                                                          {"sigmoid", 1},
                                                          {"sigmoid_backward", 2},
                                                          {"sign", 1},
                                                          {"silu", 1},
                                                          {"silu_backward", 2},
                                                          {"sin", 1},
                                                          {"softplus", 1},
                                                          {"sqrt", 1},
                                                          {"square", 1},
                                                          {"sub", 2},
                                                          {"tanh", 1},
                                                          {"tanh_backward", 2},
                                                          {"threshold_backward", 2},
                                                          {"trunc", 1},
                                                          {"where", 3}});

struct RowsForm {
  std::string_view name;  // without aten:: and '_'
  size_t main;            // place of the tensor that is as large as the output
  int passes;             // reads and writes of such a tensor
};
// A row's elements meet once: softmax and normalisations, forward and backward.
constexpr std::array<RowsForm, 16> kRows = {{{"_softmax", 0, 2},
                                             {"_log_softmax", 0, 2},
                                             {"_softmax_backward_data", 0, 3},
                                             {"_log_softmax_backward_data", 0, 3},
                                             {"native_layer_norm", 0, 2},
                                             {"native_layer_norm_backward", 0, 3},
                                             {"native_group_norm", 0, 2},
                                             {"native_group_norm_backward", 0, 3},
                                             {"native_batch_norm", 0, 2},
                                             {"native_batch_norm_backward", 0, 3},
                                             {"cudnn_batch_norm", 0, 2},
                                             {"cudnn_batch_norm_backward", 0, 3},
                                             {"miopen_batch_norm", 0, 2},
                                             {"miopen_batch_norm_backward", 0, 3},
                                             {"fill", 0, 1},
                                             {"zero", 0, 1}}};

std::string_view stem(std::string_view name) {
  if (!name.starts_with("aten::")) return {};
  name.remove_prefix(6);
  if (name.size() > 1 && name.ends_with('_')) name.remove_suffix(1);
  return name;
}

/// 0 where it is none.
size_t pointwise_operands(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kPointwise, name, {}, &PointwiseForm::name);
  return found == kPointwise.end() || found->name != name ? 0 : found->operands;
}

struct Tensors {
  std::vector<InputShape> shapes;
  std::vector<std::string> types;
  bool has(size_t place) const {
    return place < shapes.size() && place < types.size() && !shapes[place].is_list && !shapes[place].dims.empty();
  }
  double elements(size_t place) const {
    return has(place) ? static_cast<double>(element_count(shapes[place].dims)) : 0;
  }
  double bytes(size_t place) const { return elements(place) * (has(place) ? dtype_bytes(types[place]) : 0); }
  /// Of the first `count`.
  double first_bytes(size_t count) const {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += bytes(i);
    return sum;
  }
};

/// The result has the shape of the largest operand and the widest type of them all; a copy has the first one's.
double pointwise_bytes(const Tensors& in, size_t operands, bool copies) {
  if (copies) return in.first_bytes(2);
  double largest = 0;
  int widest = 0;
  for (size_t i = 0; i < operands; ++i) {
    if (in.has(i)) {
      largest = std::max(largest, in.elements(i));
      widest = std::max(widest, dtype_bytes(in.types[i]));
    }
  }
  return in.first_bytes(operands) + largest * widest;
}

/// Of a product the result follows from its operations: 2 * its elements * the inner dimension.
double product_bytes(const Tensors& in, double flops) {
  for (size_t left = 0; left < 2; ++left) {
    if (!in.has(left) || !in.has(left + 1) || in.shapes[left].dims.size() < 2 ||
        in.shapes[left].dims.back() != in.shapes[left + 1].dims[in.shapes[left + 1].dims.size() - 2])
      continue;
    const double results = flops / 2 / static_cast<double>(in.shapes[left].dims.back());
    const int size = is_float8(in.types[left]) ? 2 : dtype_bytes(in.types[left]);  // 8-bit products give 16 bits
    return in.first_bytes(left + 2) + results * size;
  }
  return 0;
}

double convolution_bytes(const Tensors& in, double flops) {
  if (!in.has(0) || !in.has(1)) return 0;
  const double a_result = 2 * in.elements(1) / static_cast<double>(in.shapes[1].dims[0]);
  return in.first_bytes(3) + (a_result > 0 ? flops / a_result * dtype_bytes(in.types[0]) : 0);
}

double attention_bytes(const Tensors& in, size_t query, bool backward) {
  if (!in.has(query) || !in.has(query + 1) || !in.has(query + 2)) return 0;
  const double q = in.bytes(query), kv = in.bytes(query + 1) + in.bytes(query + 2);
  return backward ? 4 * q + 2 * kv : 2 * q + kv;  // q, out, their gradients; k, v, and theirs
}

std::optional<double> known(double bytes) { return bytes > 0 ? std::optional(bytes) : std::nullopt; }

}  // namespace

bool is_pointwise(std::string_view name) { return pointwise_operands(stem(name)) > 0; }

bool is_by_rows(std::string_view name) { return std::ranges::find(kRows, stem(name), &RowsForm::name) != kRows.end(); }

bool has_least_bytes(std::string_view name) { return has_useful_flops(name) || is_pointwise(name) || is_by_rows(name); }

std::optional<double> least_bytes(const Profile& p, uint32_t op) {
  const std::string_view name = p.text(p.operators.name[op]);
  if (!has_least_bytes(name)) return std::nullopt;
  auto shapes = parse_shapes(p.text(p.operators.input_shapes[op]));
  if (!shapes || shapes->empty()) return std::nullopt;
  const Tensors in{std::move(*shapes), parse_string_array(p.text(p.operators.input_types[op]))};
  if (const std::optional<size_t> query = attention_query(name))
    return known(attention_bytes(in, *query, name.find("backward") != std::string_view::npos));
  const std::string_view of = stem(name);
  for (const RowsForm& form : kRows) {
    if (form.name == of) return known(form.passes * in.bytes(form.main));
  }
  if (const size_t operands = pointwise_operands(of)) return known(pointwise_bytes(in, operands, of == "copy"));
  const std::optional<double> flops = useful_flops(p, op);
  if (!flops) return std::nullopt;
  if (name == "aten::convolution_backward") return known(in.first_bytes(3) + in.bytes(1) + in.bytes(2));
  return known(name == "aten::convolution" ? convolution_bytes(in, *flops) : product_bytes(in, *flops));
}

}  // namespace warplens::analysis
