// What kernels do, as the shipped rules of classes say.
#pragma once
#include <string_view>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

std::string_view class_of(const Context& context, const ProgramEvent& event);  // "gemm", ...

bool is_compiled(std::string_view name);  // by a compiler for this program: Triton's and XLA's kernels

/// Pointwise work, normalisations, reductions and copies on the device, each a kernel of its own: those of a compiler
/// have been fused.
bool moves_memory(const Context& context, const ProgramEvent& event);

}  // namespace warplens::findings
