// The user's headers that a source draws in: part of the key of the compile cache.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

struct Includes {
  std::string digest;     // changes when a header found, its place or its contents change
  Status readable;        // the error of a header that is a device or a pipe, which a compiler would read for ever
  bool computed = false;  // saw `#include MACRO`: the included file is unknown, so results cannot be cached
};

/// Follows `#include` lines, conditional or not, from `source` (which is in `folder`) through `search`. Headers that
/// are in neither are the toolkit's or the host compiler's, which the key names by version.
Includes scan_includes(std::string_view source, const std::string& folder, const std::vector<std::string>& search);

/// The folders that -I, --include-path and -isystem name.
std::vector<std::string> search_folders(const std::vector<std::string>& options);

}  // namespace warplens::compile
