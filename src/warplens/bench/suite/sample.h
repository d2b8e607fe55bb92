// Which part of a large output is compared with its reference: stretches of its first axis, drawn anew for each check.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "warplens/bench/suite/reference.h"

namespace warplens::bench {

/// nullopt if the whole output must be compared. This holds for a small output, and if its reference at one place of
/// the first axis depends on other places (as prefix sums do).
std::optional<OutputSample> draw_sample(const launch::Description& description, const Reference& reference,
                                        uint64_t seed);

}  // namespace warplens::bench
