// Charts as pictures that look the same in a browser, a README and a paper.
#pragma once
#include "warplens/bench/plot/chart.h"
#include "warplens/output/svg.h"

namespace warplens::bench {

svg::Picture picture_of(const Chart& chart);

}  // namespace warplens::bench
