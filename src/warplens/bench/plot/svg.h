// Charts as SVG documents that look the same in a browser, a README and a paper.
#pragma once
#include <string>

#include "warplens/bench/plot/chart.h"

namespace warplens::bench {

enum class Theme { kLight, kDark };

std::string to_svg(const Chart& chart, Theme theme);

}  // namespace warplens::bench
