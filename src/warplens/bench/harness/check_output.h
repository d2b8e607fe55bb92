// Compares outputs with a float64 reference, and searches outputs without a reference for signs of errors.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "warplens/bench/harness/work.h"
#include "warplens/bench/results/results.h"

namespace warplens::bench {

/// Relative norm of the difference that rounding to a type explains. f64 1e-12, f32 1e-5, tf32 1e-3, f16 4e-3, bf16
/// 2e-2.
double default_tolerance(std::string_view dtype);

/// Passes if the norm of (values - reference) is at most `tolerance` times the norm of the reference. NaN and
/// infinities must be exactly where the reference has them. `detail` names the place and kind of the failure.
OutputCheck check_output(const Output& output);

std::vector<OutputCheck> check_outputs(const std::vector<Output>& outputs);

/// The failed ones in one line each, prefixed by `when`.
std::vector<std::string> failures(const std::vector<OutputCheck>& checks, const std::string& when);

}  // namespace warplens::bench
