// Chrome's trace format as torch.profiler writes it: for chrome://tracing, Perfetto, TensorBoard and this program.
#pragma once
#include <string>

#include "warplens/base/status.h"
#include "warplens/profile/profile.h"
#include "warplens/writers/selection.h"

namespace warplens::writers {

/// The chosen part of the profile. Events that partly overlap on one thread or stream are put on lanes of their own,
/// "7 (lane 2)"; all else reads back as the same profile. Several ranks become processes "rank 0: 751".
std::string chrome_trace(const Profile& profile, const Selection& selection);

}  // namespace warplens::writers
