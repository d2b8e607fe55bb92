// Operators whose work a cheaper operator does: what the device takes then.
#pragma once
#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// Device work of one operator, in the recording and as it is replaced.
struct ReplacedWork {
  Change change;
  std::vector<uint32_t> operators;  // outermost, in order
  int64_t device_ns = 0;            // recorded
  double calls = 0;                 // of the operators that are replaced

  /// The work of `op` becomes one kernel that moves so many bytes, or nothing where `bytes` is 0.
  void replace(const Context& context, uint32_t op, double bytes);
  /// The work of `op` becomes one kernel that takes so long, or nothing where `ns` is 0.
  void replace_by_ns(const Context& context, uint32_t op, double ns);
};

/// Adds to `change` that one kernel of `ns` does the work of `events`, or none where that is 0; what they took.
int64_t run_as_one(const Context& context, const std::vector<uint32_t>& events, double ns, Change& change);

/// The time of a kernel that moves so many bytes.
double moving_ns(const Context& context, double bytes);

/// The outermost operators of each thread of the rank.
std::vector<std::vector<uint32_t>> operators_of_threads(const Context& context);

/// The shape of a tensor among the inputs of `op`; empty where there is none.
analysis::Shape shape_of(const Context& context, uint32_t op, size_t input = 0);

}  // namespace warplens::findings
