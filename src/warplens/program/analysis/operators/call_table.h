// CUDA (or HIP) calls by name: how often the host made each, and how long it took.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct CallRow {
  std::string_view name;  // for example "cudaLaunchKernel"
  CallKind kind = CallKind::kRuntime;
  int64_t count = 0;
  int64_t host_ns = 0;  // the sum of all
  int64_t median_ns = 0, shortest_ns = 0, longest_ns = 0;
};

/// The call with the most host time first. A runtime call and the driver call that it makes each have a row, if both
/// were recorded. The names belong to `profile`.
std::vector<CallRow> call_table(const Profile& profile);

}  // namespace warplens::analysis
