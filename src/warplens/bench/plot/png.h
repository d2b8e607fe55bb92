// SVG to PNG through librsvg and cairo, loaded at run time.
#pragma once
#include <string>

#include "warplens/base/status.h"

namespace warplens::bench {

/// The PNG at `scale` pixels a unit of the SVG. If libraries are missing, the error names the packages to install.
Result<std::string> to_png(const std::string& svg, double scale);

}  // namespace warplens::bench
