#include "warplens/program/findings/operators.h"

#include <algorithm>
#include <array>

namespace warplens::findings {
namespace {

// Sorted; without "aten::".
constexpr auto kReductions = std::to_array<std::string_view>(
    {"_log_softmax", "_log_softmax_backward_data", "_softmax", "_softmax_backward_data", "amax", "amin",
     "linalg_vector_norm", "logsumexp", "max", "mean", "min", "norm", "std", "std_mean", "sum", "var", "var_mean"});

}  // namespace

bool is_row_reduction(std::string_view op) {
  constexpr std::string_view kNamespace = "aten::";
  return op.starts_with(kNamespace) &&
         std::binary_search(kReductions.begin(), kReductions.end(), op.substr(kNamespace.size()));
}
bool is_matrix_product(std::string_view op) {
  return op == "aten::mm" || op == "aten::addmm" || op == "aten::bmm" || op == "aten::baddbmm" ||
         op == "aten::_addmm_activation";
}
bool is_gradient_zeroing(std::string_view range) { return range.starts_with("Optimizer.zero_grad#"); }

}  // namespace warplens::findings
