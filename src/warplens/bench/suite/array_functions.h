// References that formulas of elements and rows cannot express: prefix sums, transposes, histograms, products, in
// float64.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "warplens/formula/graph.h"

namespace warplens::bench {

/// The expected contents of an output. With `places`, only those elements are computed: all would take too long.
struct ReferenceValues {
  formula::Shape shape;
  std::vector<double> values;
  std::vector<size_t> places = {};
};

/// An array, or a number written in the call (no axes, one value).
struct ArrayArgument {
  formula::Shape shape;
  std::span<const double> values;
};

using ArrayArguments = std::span<const ArrayArgument>;

struct ArrayFunction {
  std::string_view name;
  size_t arity;
  ReferenceValues (*compute)(ArrayArguments args,
                             const formula::Shape& output);  // `output`: that of the buffer to be checked
  std::string_view help;
  /// Where row r of the result depends on row r of some arguments, the others whole: its shape, by theirs. Else
  /// nullptr.
  formula::Shape (*shape_by_rows)(std::span<const formula::Shape> args) = nullptr;
  unsigned whole_args = 0;  // bit i: of the argument i all is needed
};

/// nullptr if no function has that name.
const ArrayFunction* find_array_function(std::string_view name);
std::span<const ArrayFunction> array_functions();

}  // namespace warplens::bench
