// Charts as pictures that look the same in a browser, a README and a paper.
#pragma once
#include "warplens/bench/plot/chart.h"
#include "warplens/output/svg.h"

namespace warplens::bench {

/// `width`: of a file by default. Below 500 names are above their bars, and below lines in place of beside them.
svg::Picture picture_of(const Chart& chart, double width = 820);

}  // namespace warplens::bench
