// All joins of a profile together, computed once and shared by the analyses.
#pragma once
#include <utility>

#include "warplens/program/analysis/forest.h"
#include "warplens/program/analysis/links.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct Causes {
  explicit Causes(const Profile& profile)
      : operators(operator_forest(profile)),
        links(link_events(profile, operators)),
        backward(link_backward(profile, operators)) {}
  /// Of joins that the caller has made.
  Causes(const Profile& profile, Forest operators_of, Links links_of)
      : operators(std::move(operators_of)), links(std::move(links_of)), backward(link_backward(profile, operators)) {}

  Forest operators;
  Links links;
  BackwardLinks backward;
};

/// Kernels, copies and sets take device time; the device's side of a range only spans it.
inline bool is_device_work(DeviceEventKind kind) { return kind != DeviceEventKind::kRange; }

}  // namespace warplens::analysis
