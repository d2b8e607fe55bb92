// The flame graph of a page.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/trace/profile/profile.h"
#include "warplens/writers/flamegraph/flame_chart.h"

namespace warplens::page {

/// A tree of names, as writers::FlameChart orders and colours it. Node 0 is the root, and a node stands behind its
/// parent.
struct Flames {
  std::string title;
  std::vector<std::string> names;
  std::vector<uint32_t> parent;
  std::vector<int64_t> total_ns;  // of a node and all above it
  std::vector<uint8_t> colour;    // of writers::flame_colours
  std::vector<writers::FlameKind> kinds;
};

/// GPU time by Python code, operator and kernel. Empty without device work.
Flames device_flames(const Profile& profile);
/// The host's time by the same.
Flames host_flames(const Profile& profile);

}  // namespace warplens::page
