// The language of formulas: `m = mean(x); y = (x - m) * rsqrt(var(x) + 1e-5) * w + b`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::formula {

/// A number, a name, or a call; operators are calls of add, sub, mul, div, pow, neg, lt, le, gt, ge, eq and ne.
struct Term {
  enum class Kind { kNumber, kName, kCall };
  Kind kind = Kind::kNumber;
  double value = 0;
  std::string name;  // of the variable or function
  std::vector<Term> args;
  size_t offset = 0;  // in the formula's text, for errors
};

struct Assignment {
  std::string name;
  Term term;
};

struct Formula {
  std::vector<Assignment> assignments;
  std::vector<std::string> inputs;   // names used and never assigned, in order of appearance
  std::vector<std::string> outputs;  // names assigned and not used by a later assignment
};

/// Statements are separated by semicolons or newlines; `#` starts a comment. The error shows the place.
Result<Formula> parse_formula(std::string_view text);

/// `term` as it would be written, with operators and few parentheses.
std::string to_text(const Term& term);

}  // namespace warplens::formula
