// Results as people read them.
#pragma once
#include "warplens/bench/results/results.h"
#include "warplens/output/table.h"

namespace warplens::bench {

/// One row a measurement: name, axes, regime, time with its interval, rates, correctness, errors.
Table results_table(const Results& results);

/// Prints the table, then the problems and notes.
std::string to_text(const Results& results, size_t width);

}  // namespace warplens::bench
