// A file format: how to recognise and read it. Each is in a folder of its own.
#pragma once
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"
#include "warplens/trace/readers/input/input.h"
#include "warplens/trace/readers/read.h"

namespace warplens {

struct TraceFormat {
  const char* name;  // as messages call it
  bool (*sniff)(std::string_view head);
  /// Adds the input to the profile, as one more rank.
  Status (*read)(Input& input, const ReadOptions& options, Profile& profile);
};

/// Adds one input, of whichever format, to the profile.
Status read_input(Input& input, const ReadOptions& options, Profile& profile);

/// Every format, the most specific first.
const std::vector<const TraceFormat*>& all_formats();

}  // namespace warplens
