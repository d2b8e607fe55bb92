// The same formula without fusion: one kernel for each operation in it.
#pragma once
#include <string>
#include <vector>

#include "warplens/fuse/emit.h"

namespace warplens::fuse {

struct ChainStep {
  std::string text;  // "t2 = tanh(t1)"
  Graph graph;
  GeneratedKernel kernel;
};

/// Each call in the formula becomes a step; equal calls are made once. Intermediate results have the type that PyTorch
/// would give them, as do the outputs unless `output_dtypes` says otherwise.
Result<std::vector<ChainStep>> build_chain(const Formula& formula, const std::vector<Operand>& inputs,
                                           const std::vector<launch::DType>& output_dtypes);

}  // namespace warplens::fuse
