// A stretch of time drawn as lanes: the host's threads and the device's streams, a character a slice.
#pragma once
#include <string>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/classify/rules.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// `width` slices of [start, end). Host lanes: 'o' operator, 'c' CUDA call, 's' synchronization; device lanes: '#'
/// computation, '=' communication, '~' copy; '.' nothing. What takes most of a slice is drawn. Where colours are shown
/// (set_color), a slice of a device lane has the colour of the class of kernels that takes most of it, computation is
/// a filled block, and a legend names the classes.
std::string draw_lanes(const Profile& profile, const Causes& causes, const ClassRules& rules, int64_t start_ns,
                       int64_t end_ns, size_t width);

}  // namespace warplens::analysis
