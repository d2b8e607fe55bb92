// The functions of formulas, one row each: how CUDA and float64 compute them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::formula {

enum class FunctionKind {
  kElement,    // element by element
  kReduction,  // along the last axis, which stays with length 1
  kComposite,  // defined by a formula of the others
};

struct Function {
  std::string_view name;
  int arity;
  FunctionKind kind;
  /// Elements: CUDA for arguments $0, $1, $2, with @ for the suffix of float functions. Reductions: how two partial
  /// results join. Composites: the formula, of parameters a, b, c, d.
  std::string_view code;
  double (*eval)(const double* arguments);  // nullptr for composites; reductions join two values
  double initial;                           // of a reduction
  int flops;                                // that one element counts as, in the usual way (a multiply-add is two)
  std::string_view help;
};

/// The function `name` that takes `arity` arguments, or nullptr.
const Function* find_function(std::string_view name, size_t arity);

/// Every name once, in order, for error messages and help.
std::vector<std::string> function_names();

}  // namespace warplens::formula
