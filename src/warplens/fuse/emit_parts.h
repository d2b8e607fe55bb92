// The building blocks of kernels with and without reductions.
#pragma once
#include "warplens/fuse/emit.h"

namespace warplens::fuse {

/// A graph with the types of its operands, and the names that its values have in the source.
class EmitContext {
 public:
  EmitContext(const Graph& graph, const std::vector<launch::DType>& dtypes,
              const std::vector<launch::DType>& output_dtypes);

  const Graph& graph;
  std::vector<launch::DType> dtypes, output_dtypes;
  bool double_precision = false;
  std::vector<bool> needed;  // nodes that an output depends on

  bool constant(int node) const { return graph.nodes[node].kind == Node::Kind::kConstant; }
  /// The value of `node` in an expression: a literal, or its variable.
  std::string value(int node) const;
  /// The expression that computes an element node from its arguments.
  std::string expression(int node) const;
  std::string literal(double value) const;
  /// Elements in 16 bytes of the widest operand that is read or written along the last axis; then halved until it
  /// divides `columns`.
  int vector_width(int64_t columns) const;
  bool streams_input(int input) const;  // has the domain's last axis
  std::string parameters(bool wide) const;
  /// Typedefs, conversions, packs: everything that the kernel uses.
  std::string prologue(const EmitOptions& options, const std::string& title) const;
};

/// The index of an operand of `shape`, from variables for the domain's linear index ("i"), or for its row and column if
/// `by_row`. The expression has constant extents.
std::string index_expression(const Shape& domain, const Shape& shape, bool by_row);

const char* storage_type(launch::DType dtype);  // "float", "f16" (a typedef), "int", ...

Result<GeneratedKernel> emit_elements(const EmitContext& context, const EmitOptions& options);
Result<GeneratedKernel> emit_rows(const EmitContext& context, const EmitOptions& options);

}  // namespace warplens::fuse
