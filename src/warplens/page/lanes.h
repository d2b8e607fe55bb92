// The timeline of a page: columns of spans, a lane a device stream or host thread.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/program/analysis/timeline/timeline.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::page {

enum class LaneKind : uint8_t { kSteps, kStream, kIdle, kThread, kPython };

/// Spans in order of their start; a span's texts are rows of Lanes::texts, 0 being the empty one.
struct Lane {
  LaneKind kind = LaneKind::kThread;
  std::string side;         // of two profiles beside each other: "base" or "new"
  std::string group, name;  // "GPU 0", "stream 7"
  std::vector<int64_t> start_ns, duration_ns;
  std::vector<uint32_t> name_of;       // rows of texts
  std::vector<uint32_t> class_of;      // rows of Lanes::classes
  std::vector<uint32_t> detail_of;     // rows of texts: operator and shapes, grid and block; 0 if there are none
  std::vector<uint32_t> launch_lane;   // of kernels: 1 + the lane of the thread that launched it; 0 when not known
  std::vector<int64_t> launch_before;  // how long before its start that call began, in ns
};

struct Lanes {
  int64_t window_ns = 0;             // length of the window; times of lanes begin at its start
  std::vector<std::string> texts;    // distinct
  std::vector<std::string> classes;  // of spans: kernels' classes, causes of idle time, kinds of host work
  std::vector<Lane> lanes;
};

/// Where the times of a profile's lanes begin, on its own clock.
int64_t origin_ns(const Profile& profile);

Lanes lanes_of(const Profile& profile, const analysis::Causes& causes, const analysis::Classes& classes,
               const analysis::ClassRules& rules, const analysis::Timeline& timeline);

/// Two profiles in one timeline, each from its own start, their lanes called base and new.
Lanes beside(Lanes base, Lanes fresh);

}  // namespace warplens::page
