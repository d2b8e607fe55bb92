// The ways in which `warplens kernel` is used, and the flags of each.
#pragma once
#include <vector>

#include "warplens/cli/verb.h"

namespace warplens::cli {

/// In the order in which they are tried. Those of a file read its first operand, where it can be read.
std::vector<Use> kernel_uses();

}  // namespace warplens::cli
