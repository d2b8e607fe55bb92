// Two profiles of one program: the change of each step, operator and kernel, and its part in the whole change.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/program/analysis/classify/rules.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis::diff {

enum class Change { kAdded, kRemoved, kSlower, kFaster, kSame };
std::string_view name(Change change);  // "added", ...

/// One thing that both sides have, or one of them. Times and counts are means per step and device.
struct Difference {
  std::string base_name, new_name;  // equal unless it was renamed; one is empty when it was added or removed
  double base_count = 0, new_count = 0;
  double base_ns = 0, new_ns = 0;
  std::optional<double> noise_ns;  // a difference no larger than this is not a change; no value: one step shows none
  Change change = Change::kSame;
  double difference_ns() const { return new_ns - base_ns; }
};

struct DiffOptions {
  double floor_fraction = 0.01;  // of the base: changes smaller than this are called none even without spread
};

struct Diff {
  bool base_has_steps = false, new_has_steps = false;
  size_t base_steps = 0, new_steps = 0;     // steady ones
  std::string base_left_out, new_left_out;  // other steps: left_out_text()
  Difference wall, busy, idle;              // of a step; wall = busy + idle
  std::vector<Difference> parts;  // of busy, as the timeline defines them: computation, exposed communication and
                                  // copies. Those that neither side has are left out
  bool by_device_work = false;    // wall time is within noise, but the device's work is not
  int64_t base_peak_bytes = 0, new_peak_bytes = 0;  // allocated on one GPU; 0 if memory was not profiled
  std::string base_devices, new_devices;            // names of the GPUs
  std::vector<Difference> host;                     // the host's own time by operator, range and API call
  std::vector<Difference> classes;                  // device time by class of kernel
  std::vector<Difference> operators;                // device time by operator and input shapes
  std::vector<Difference> kernels;                  // by operator, shapes and kernel
  // Each list: the largest absolute difference first; those of device time add up to the difference of all of it.
};

/// Noise comes from the steps themselves: half the sum of both sides' ranges between their 10 % and 90 %
/// quantiles (fastest and slowest below ten steps). With few steps, it is at least the 95 % interval of the
/// difference of two means by Student's t. A side with a single step is assumed to be as noisy as the other; if
/// both have one, noise is unknown and only the floor counts. A smaller change still counts in one case. The
/// device's work changed in the same direction by more, and every step of one side took longer than every step of
/// the other.
Diff diff_profiles(const Profile& base, const Profile& fresh, const ClassRules& rules, const DiffOptions& options = {});

}  // namespace warplens::analysis::diff
