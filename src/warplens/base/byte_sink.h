// Where written bytes go, piece by piece: a file, a compressor.
#pragma once
#include <functional>
#include <string_view>

#include "warplens/base/status.h"

namespace warplens {

using ByteSink = std::function<Status(std::string_view)>;

}  // namespace warplens
