// The flame graph of a page.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::page {

/// A tree of names. Node 0 is the root, and a node stands behind its parent.
struct Flames {
  std::string title;
  std::vector<std::string> names;
  std::vector<uint32_t> parent;
  std::vector<int64_t> total_ns;  // of a node and all above it
};

/// GPU time by Python code, operator and kernel. Empty without device work.
Flames device_flames(const Profile& profile);
/// The host's time by the same.
Flames host_flames(const Profile& profile);

}  // namespace warplens::page
