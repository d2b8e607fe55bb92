// Chrome's trace format as torch.profiler writes it: for chrome://tracing, Perfetto, TensorBoard and this program.
#pragma once
#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// The whole profile. Events that partly overlap on one thread or stream get lanes of their own, "7 (lane 2)";
/// everything else reads back as the same profile. Several ranks become processes "rank 0: 751". Written as a stream, a
/// few hundred kilobytes at a time; fails if `to` fails.
Status chrome_trace(const Profile& profile, const ByteSink& to);

}  // namespace warplens::writers
