// speedscope's file format: spans of each thread and stream, for https://www.speedscope.app.
#pragma once
#include <cstdint>

#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// The data that the format has no place for.
struct SpeedscopeLeftOut {
  int64_t instants = 0, counters = 0, flows = 0;
};

/// An evented profile a thread and a stream, in nanoseconds since the first event. Arguments are left out.
Status speedscope_profile(const Profile& profile, const ByteSink& to, SpeedscopeLeftOut* left_out);

}  // namespace warplens::writers
