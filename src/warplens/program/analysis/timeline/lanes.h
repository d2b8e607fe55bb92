// A stretch of time drawn as lanes: the host's threads and the device's streams, a character a slice.
#pragma once
#include <string>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/classify/rules.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// `width` slices of [start, end). Host lanes: 'o' operator, 'c' CUDA call, 's' synchronization; device lanes: '#'
/// computation, '=' communication, '~' copy; '.' nothing. Draws the activity that takes most of a slice. If colours are
/// shown (set_color), a slice of a device lane has the colour of the kernel class that takes most of it. Computation is
/// then a filled block, and a legend names the classes.
std::string draw_lanes(const Profile& profile, const Causes& causes, const ClassRules& rules, int64_t start_ns,
                       int64_t end_ns, size_t width);

}  // namespace warplens::analysis
