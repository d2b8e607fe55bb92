// A chart in characters.
#pragma once
#include <string>

#include "warplens/bench/plot/chart.h"

namespace warplens::bench {

/// `width` columns and about `height` lines, in Braille dots, one series a colour, named below.
std::string to_characters(const Chart& chart, size_t width, size_t height);

}  // namespace warplens::bench
