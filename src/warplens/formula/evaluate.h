// Formulas in float64 on the host: the reference that kernels are checked against.
#pragma once
#include <span>
#include <vector>

#include "warplens/formula/graph.h"

namespace warplens::formula {

/// Columns [begin, end) of a row of the domain; with reductions only a whole row will do.
struct Window {
  int64_t row, begin, end;
};

/// Outputs in the graph's order; an output with one value a row has one value each. `inputs` are whole, in the graph's
/// order, each of its own shape.
std::vector<std::vector<double>> evaluate_window(const Graph& graph, std::span<const std::span<const double>> inputs,
                                                 const Window& window);

/// Windows of at most `columns` columns (whole rows with reductions) that cover the domain.
std::vector<Window> windows_of(const Graph& graph, int64_t columns);

/// The whole domain, spread over the cores. An output has its own shape's elements, broadcast axes before the last
/// filled in.
std::vector<std::vector<double>> evaluate(const Graph& graph, std::span<const std::span<const double>> inputs);

/// Where row `row` of the domain begins in an array of `shape`, whose axes of length 1 are broadcast.
int64_t row_offset(const Shape& domain, const Shape& shape, int64_t row);

}  // namespace warplens::formula
