#include "warplens/program/analysis/operators/memory_sums.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

// c10::DeviceType: CPU 0, CUDA 1, MKLDNN 2, IDEEP 5, HIP 6, XPU 12, PrivateUse1 20.
bool on_cpu(int32_t type) { return type == 0 || type == 2 || type == 5; }
bool on_device(int32_t type) { return type == 1 || type == 6 || type == 12 || type == 20; }

}  // namespace

MemoryChange memory_change(const Profile& profile, uint32_t allocation) {
  const int32_t type = profile.allocations.device_type[allocation];
  const int64_t bytes = profile.allocations.bytes[allocation];
  return {on_cpu(type) ? bytes : 0, on_device(type) ? bytes : 0};
}

MemorySums::MemorySums(const Profile& profile, uint32_t rank) {
  const auto& t = profile.allocations;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (profile.threads.rank[t.thread[row]] == rank) rows_.push_back(row);
  }
  std::stable_sort(rows_.begin(), rows_.end(), [&](uint32_t a, uint32_t b) { return t.time_ns[a] < t.time_ns[b]; });
  before_.resize(rows_.size() + 1);
  cover_.resize(rows_.size() + 1);
  times_ns_.reserve(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    times_ns_.push_back(t.time_ns[rows_[i]]);
    const MemoryChange change = memory_change(profile, rows_[i]);
    before_[i + 1] = {before_[i].cpu_bytes + change.cpu_bytes, before_[i].device_bytes + change.device_bytes};
  }
}

MemoryChange MemorySums::within(int64_t start_ns, int64_t end_ns) {
  const auto first = std::lower_bound(times_ns_.begin(), times_ns_.end(), start_ns) - times_ns_.begin();
  const auto last = std::upper_bound(times_ns_.begin() + first, times_ns_.end(), end_ns) - times_ns_.begin();
  if (first == last) return {};
  ++cover_[static_cast<size_t>(first)];
  --cover_[static_cast<size_t>(last)];
  return {before_[last].cpu_bytes - before_[first].cpu_bytes, before_[last].device_bytes - before_[first].device_bytes};
}

std::vector<uint32_t> MemorySums::uncovered() const {
  std::vector<uint32_t> out;
  int64_t open = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    open += cover_[i];
    if (open == 0) out.push_back(rows_[i]);
  }
  return out;
}

}  // namespace warplens::analysis
