// Compression of what is written.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"

namespace warplens::writers {

/// `text` as one gzip member.
Result<std::string> gzip(std::string_view text);

}  // namespace warplens::writers
