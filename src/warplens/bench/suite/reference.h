// The expected contents of a kernel's buffers after a call, in float64: "y = 2*x + y0", "p = pick(x, t); loss =
// logsumexp(x) - p".
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "warplens/bench/harness/work.h"
#include "warplens/bench/suite/array_functions.h"
#include "warplens/formula/expression.h"
#include "warplens/launch/description.h"

namespace warplens::bench {

/// One statement of a reference: a formula, or the call of an array function.
struct ReferenceStatement {
  std::string name;          // that it assigns
  formula::Formula formula;  // where `function` is nullptr
  const ArrayFunction* function = nullptr;
  std::vector<std::string> args;  // names and numbers
};

/// One buffer with known contents after a call.
struct Reference {
  std::string output;
  std::vector<ReferenceStatement> statements;
  bool in_place = false;  // they read the output's contents from before
};

/// A reference of one buffer of `description`. Statements without array functions are one formula (see expression.h);
/// the last statement is the output's. NAME0 is the content of the output NAME before the call.
Result<Reference> parse_reference(const std::string& text, const launch::Description& description);

/// Places [begin, begin + count) of an array's first axis.
struct Stretch {
  uint64_t begin = 0, count = 0;
};

/// A part of an output that is computed alone: the same stretches of each array with the output's first axis.
struct OutputSample {
  std::vector<Stretch> stretches;
  std::set<std::string> arrays;  // buffers that have that axis, the output among them
};

formula::Shape shape_of(const launch::BufferSpec& buffer);
/// The elements of `buffer` that belong to the sample; all where it has another first axis.
std::vector<Stretch> elements_of(const launch::BufferSpec& buffer, const OutputSample& sample);

/// The contents of a buffer before the call: the elements in `stretches`, one after another, or all if it is empty.
using ContentsOf =
    std::function<Result<std::vector<double>>(const std::string& buffer, const std::vector<Stretch>& stretches)>;

/// Without `sample` of the whole output.
Result<ReferenceValues> reference_values(const launch::Description& description, const Reference& reference,
                                         const ContentsOf& contents, const OutputSample* sample = nullptr);

/// The output `name` with its reference: of both, the elements that are known.
Output checked_output(const std::string& name, std::vector<double> values, ReferenceValues want, double tolerance);

/// `sampled` is of the stretches of an output of `count` elements: its elements' places become those in the whole.
void place_in_whole(Output& sampled, const std::vector<Stretch>& stretches, uint64_t count);

}  // namespace warplens::bench
