#include "warplens/program/findings/operators.h"

#include <algorithm>
#include <array>

namespace warplens::findings {
namespace {

// Sorted; without "aten::" and without a trailing '_' for the in-place form.
constexpr auto kPointwise = std::to_array<std::string_view>({"abs",
                                                             "add",
                                                             "addcdiv",
                                                             "addcmul",
                                                             "bitwise_and",
                                                             "bitwise_not",
                                                             "bitwise_or",
                                                             "ceil",
                                                             "clamp",
                                                             "clamp_max",
                                                             "clamp_min",
                                                             "copy",
                                                             "cos",
                                                             "div",
                                                             "elu",
                                                             "eq",
                                                             "erf",
                                                             "exp",
                                                             "expm1",
                                                             "floor",
                                                             "ge",
                                                             "gelu",
                                                             "gelu_backward",
                                                             "gt",
                                                             "hardswish",
                                                             "hardtanh",
                                                             "le",
                                                             "leaky_relu",
                                                             "leaky_relu_backward",
                                                             "lerp",
                                                             "log",
                                                             "log1p",
                                                             "logical_and",
                                                             "logical_not",
                                                             "logical_or",
                                                             "lt",
                                                             "masked_fill",
                                                             "maximum",
                                                             "minimum",
                                                             "mul",
                                                             "native_dropout",
                                                             "native_dropout_backward",
                                                             "ne",
                                                             "neg",
                                                             "pow",
                                                             "reciprocal",
                                                             "relu",
                                                             "round",
                                                             "rsqrt",
                                                             "rsub",
                                                             "sigmoid",
                                                             "sigmoid_backward",
                                                             "sign",
                                                             "silu",
                                                             "silu_backward",
                                                             "sin",
                                                             "softplus",
                                                             "sqrt",
                                                             "square",
                                                             "sub",
                                                             "tanh",
                                                             "tanh_backward",
                                                             "threshold_backward",
                                                             "trunc",
                                                             "where"});
constexpr auto kReductions = std::to_array<std::string_view>(
    {"_log_softmax", "_log_softmax_backward_data", "_softmax", "_softmax_backward_data", "amax", "amin",
     "linalg_vector_norm", "logsumexp", "max", "mean", "min", "norm", "std", "std_mean", "sum", "var", "var_mean"});

template <size_t N>
bool has(const std::array<std::string_view, N>& sorted, std::string_view op) {
  if (!op.starts_with("aten::")) return false;
  op.remove_prefix(6);
  if (op.ends_with('_')) op.remove_suffix(1);
  return std::binary_search(sorted.begin(), sorted.end(), op);
}

}  // namespace

bool is_pointwise(std::string_view op) { return has(kPointwise, op); }
bool is_row_reduction(std::string_view op) { return has(kReductions, op); }
bool is_matrix_product(std::string_view op) {
  return op == "aten::mm" || op == "aten::addmm" || op == "aten::bmm" || op == "aten::baddbmm" ||
         op == "aten::_addmm_activation";
}
bool is_gradient_zeroing(std::string_view range) { return range.starts_with("Optimizer.zero_grad#"); }

}  // namespace warplens::findings
