// A convolution's name and time in reports, whichever of cuDNN's interfaces asked for it.
#pragma once
#include <string>

#include "warplens/libraries/math/convolution.h"
#include "warplens/libraries/time/convolution_time.h"

namespace warplens::libraries {

/// "conv2d tf32 16x64x24x24 by 128x64x3x3 stride 2"
std::string name_of(const Convolution& convolution);
LibraryTime time_of(const Convolution& convolution);

}  // namespace warplens::libraries
