#include <algorithm>

#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/shapes.h"

namespace warplens::analysis {
namespace {

using Inputs = std::vector<InputShape>;

constexpr int64_t kLargestWindow = int64_t{1} << 20;  // of a convolution, and of its dilation

/// Sizes that tensors can have; a damaged trace may say anything.
bool plausible(const Shape& numbers) {
  return std::ranges::all_of(numbers, [](int64_t n) { return n >= 0 && n <= int64_t{1} << 40; });
}

int64_t matmul_flops(const Inputs& in, size_t left, bool batched) {
  if (in.size() < left + 2 || in[left].dims.empty()) return 0;
  const Shape &a = in[left].dims, &b = in[left + 1].dims;
  if (!plausible(a) || !plausible(b) || a.back() == 0 || (batched && a.front() == 0)) return 0;
  int64_t flops = element_count(a) / a.back();
  if (batched) flops /= a.front();
  return element_count({2, flops, element_count(b)});
}

/// The numbers of "[1, 1]" or "1".
Shape whole_numbers(const std::string& text) {
  const auto wrapped = parse_shapes(text.starts_with('[') ? "[" + text + "]" : "[[" + text + "]]");
  return wrapped && wrapped->size() == 1 ? wrapped->front().dims : Shape{};
}

/// aten::conv2d(input, weight, bias, stride, padding, dilation, groups)
int64_t conv2d_flops(const Inputs& in, std::string_view concrete_text) {
  const std::vector<std::string> concrete = parse_string_array(concrete_text);
  if (in.size() < 7 || concrete.size() < 7) return 0;
  const Shape &x = in[0].dims, &w = in[1].dims;
  const Shape stride = whole_numbers(concrete[3]), padding = whole_numbers(concrete[4]),
              dilation = whole_numbers(concrete[5]);
  const Shape groups = whole_numbers(concrete[6]);
  if (x.size() != 4 || w.size() != 4 || stride.size() != 2 || padding.size() != 2 || dilation.size() != 2 ||
      groups.size() != 1)
    return 0;
  for (const Shape& numbers : {x, w, stride, padding, dilation, groups}) {
    if (!plausible(numbers)) return 0;
  }
  if (stride[0] == 0 || stride[1] == 0 || groups[0] == 0 || w[2] > kLargestWindow || w[3] > kLargestWindow) return 0;
  if (dilation[0] > kLargestWindow || dilation[1] > kLargestWindow) return 0;
  const auto out = [&](size_t i) {
    return (x[i + 2] + 2 * padding[i] - dilation[i] * (w[i + 2] - 1) - 1) / stride[i] + 1;
  };
  return element_count({2, x[0], out(0), out(1), w[2], w[3], x[1], w[0]}) / groups[0];
}

bool first_is_tensor(const Profile& p, uint32_t op) {
  const std::vector<std::string> types = parse_string_array(p.text(p.operators.input_types[op]));
  return types.empty() ||
         (!types[0].empty() && types[0] != "Scalar" && types[0] != "TensorList" && types[0] != "ScalarList");
}

}  // namespace

int64_t torch_flops(const Profile& profile, uint32_t op) {
  const std::string_view name = profile.text(profile.operators.name[op]);
  if (!name.starts_with("aten::")) return 0;
  const std::string_view what = name.substr(6);
  const bool matmul = what == "mm" || what == "addmm" || what == "bmm" || what == "baddbmm";
  const bool elementwise = what == "mul" || what == "add";
  if (!matmul && !elementwise && what != "conv2d") return 0;
  const auto inputs = parse_shapes(profile.text(profile.operators.input_shapes[op]));
  if (!inputs || inputs->empty()) return 0;
  if (matmul)
    return matmul_flops(*inputs, what.starts_with("add") || what.starts_with("badd") ? 1 : 0, what.starts_with('b'));
  if (elementwise) return first_is_tensor(profile, op) ? element_count(inputs->front().dims) : 0;
  return conv2d_flops(*inputs, profile.text(profile.operators.concrete_inputs[op]));
}

}  // namespace warplens::analysis
