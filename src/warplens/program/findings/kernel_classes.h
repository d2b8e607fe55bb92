// The kinds of kernels, by the shipped rules of classes.
#pragma once
#include <string_view>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

std::string_view class_of(const Context& context, const ProgramEvent& event);  // "gemm", ...

bool is_compiled(std::string_view name);  // by a compiler for this program: Triton's and XLA's kernels

/// Pointwise work, normalisations, reductions and copies on the device, each a kernel of its own; a compiler's kernels
/// are fused already.
bool moves_memory(const Context& context, const ProgramEvent& event);

/// A kernel that no operator launches: the program's own, or a library's that it calls.
bool is_own_kernel(const Context& context, const ProgramEvent& event);

}  // namespace warplens::findings
