// A formula as a graph of elementary operations over broadcast shapes: composites expanded, constants folded, equal
// nodes shared.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/formula/expression.h"
#include "warplens/formula/functions.h"

namespace warplens::formula {

using Shape = std::vector<int64_t>;

/// numpy's rule, from the last axis; the error names both shapes.
Result<Shape> broadcast(const Shape& a, const Shape& b);
int64_t element_count(const Shape& shape);
std::string to_text(const Shape& shape);  // "4096x1024"; "1" for a scalar
/// "4096x1024", "4096,1024" or "1048576"; an optional 2^20 for a power.
Result<Shape> parse_shape(std::string_view text);

struct Node {
  enum class Kind { kInput, kConstant, kElement, kReduction };
  Kind kind;
  const Function* function = nullptr;  // of elements and reductions
  std::vector<int> args;
  double value = 0;  // of constants
  int input = -1;    // of inputs
  Shape shape;
};

struct NamedShape {
  std::string name;
  Shape shape;
};

/// Nodes follow those that they use.
struct Graph {
  std::vector<Node> nodes;
  std::vector<NamedShape> inputs;
  struct Output {
    std::string name;
    int node;
  };
  std::vector<Output> outputs;
  Shape domain;  // every input broadcast together

  int64_t columns() const { return domain.empty() ? 1 : domain.back(); }
  int64_t rows() const { return element_count(domain) / columns(); }
  bool has_reductions() const;
  /// True if every element depends only on the same element of the inputs, and on scalars.
  bool flat() const;
  /// Whether a node has one value for a whole row.
  bool per_row(int node) const { return nodes[node].shape.empty() || nodes[node].shape.back() == 1; }
  double flops() const;  // of the whole formula, each function counted as functions.h says
};

/// `inputs` gives the shape of each input of the formula, in any order; a missing input is an error.
Result<Graph> build_graph(const Formula& formula, const std::vector<NamedShape>& inputs);

}  // namespace warplens::formula
