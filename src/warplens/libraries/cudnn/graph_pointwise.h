// Pointwise operations of cuDNN's graphs, by cudnnPointwiseMode_t.
#pragma once
#include "warplens/libraries/cudnn/graph.h"

namespace warplens::libraries {

/// Which of a mode's inputs there have to be; 0: the mode is not emulated.
size_t inputs_of_pointwise(int mode);
inline constexpr int kIndexMode = 501;  // the index along an axis
/// A mode other than kIndexMode.
RowFunction pointwise_function(const GraphOperation& operation);

}  // namespace warplens::libraries
