// Perfetto's own format: tracks, spans, instants, counters, flows, and arguments as annotations.
#pragma once
#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// The whole profile, for ui.perfetto.dev and trace_processor; it reads back as the same profile. A thread is a track,
/// a GPU's streams are tracks below a track of the GPU. Held in memory until it is whole, because spans of a track are
/// written in order; fails where `to` fails.
Status perfetto_trace(const Profile& profile, const ByteSink& to);

}  // namespace warplens::writers
