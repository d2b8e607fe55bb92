// Which counters explain a change of a launch's time.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "warplens/report/writers/baseline.h"

namespace warplens::report {

/// Orders a launch's changed counters: first those of the units whose time changed most, and of one unit the largest
/// difference first. Counters that no unit of the model stands for come last.
void order_by_explanation(const std::function<double(std::string_view)>& unit_change_ns, std::vector<Change>* changes);

}  // namespace warplens::report
