// The class of every device event, and whether it runs on tensor cores.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/classify/rules.h"
#include "warplens/program/analysis/links.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

enum class TensorUse : uint8_t { kUnknown, kNo, kYes };

struct Classes {
  std::vector<ClassId> of_event;      // row of device_events
  std::vector<TensorUse> tensor_use;  // row of device_events
};

/// Classifies by the most certain evidence first: a collective's metadata, copies and sets, a range around the launch,
/// the launching operator; the kernel's name; the outer operators. `event_operator` is that of Links.
Classes classify(const Profile& profile, const RowLinks& event_operator, const ClassRules& rules);

}  // namespace warplens::analysis
