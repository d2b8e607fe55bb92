// The tree that a flame graph draws.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// Numbers within names by their value: 2 before 10.
struct NaturalOrder {
  bool operator()(std::string_view a, std::string_view b) const;
};

struct FlameNode {
  std::string_view name;
  uint32_t parent = 0;
  int64_t total_ns = 0;  // its own and its children's
  std::map<std::string_view, uint32_t, NaturalOrder> children;
};

/// Node 0 is the root. Names point into the profile's strings, or are literals.
struct FlameTree {
  std::vector<FlameNode> nodes = {{}};
  bool sampled = false;  // of stacks that were sampled, whose frames are functions

  uint32_t child(uint32_t parent, std::string_view name);
  /// Gives each node the time of those below it, which stand behind it. Until then, it has its own alone.
  void add_up();
};

FlameTree device_flames(const Profile& profile);
/// Of sampled stacks where there are any, else of operators and Python frames.
FlameTree host_flames(const Profile& profile);

}  // namespace warplens::writers
