// Benchmark results as pages for a browser.
#pragma once
#include <string>

#include "warplens/bench/results/results.h"
#include "warplens/page/page.h"

namespace warplens::cli {

/// True if the file at `path` holds results of `warplens bench -o`.
bool is_results_file(const std::string& path);

page::Page page_of(const bench::Results& results, const std::string& title);
/// Two runs of the same benchmarks. `margin`, `confidence`: as `warplens bench compare` takes them.
page::Page page_of_change(const bench::Results& base, const bench::Results& fresh, const std::string& title);

}  // namespace warplens::cli
