// Chrome's trace format as torch.profiler writes it: for chrome://tracing, Perfetto, TensorBoard and this program.
#pragma once
#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// The whole profile. Events that partly overlap on one thread or stream are put on lanes of their own,
/// "7 (lane 2)"; all else reads back as the same profile. Several ranks become processes "rank 0: 751". Written as it
/// comes about, a few hundred kilobytes at a time; fails where `to` fails.
Status chrome_trace(const Profile& profile, const ByteSink& to);

}  // namespace warplens::writers
