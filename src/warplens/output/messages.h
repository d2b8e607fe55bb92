// Messages of a verb, for its report.
#pragma once
#include <string>

namespace warplens {

/// From then on, show() keeps its texts for standard error as well.
void keep_messages();
const std::string& kept_messages();

}  // namespace warplens
