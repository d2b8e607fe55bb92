// Families of PyTorch operators that several rules ask for.
#pragma once
#include <string_view>

#include "warplens/program/analysis/operators/traffic.h"

namespace warplens::findings {

using analysis::is_pointwise;
bool is_row_reduction(std::string_view op);   // mean, sum, var, softmax, ...
bool is_matrix_product(std::string_view op);  // mm, addmm, bmm, baddbmm
bool is_gradient_zeroing(std::string_view range);

}  // namespace warplens::findings
