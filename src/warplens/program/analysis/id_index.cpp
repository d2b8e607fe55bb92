#include "warplens/program/analysis/id_index.h"

#include <algorithm>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {
namespace {

/// Dense while a table by id is at most this many times as long as the ids are many.
constexpr uint64_t kSparsest = 8;

}  // namespace

void IdIndex::Part::count(int64_t id) {
  ++size;
  lowest = std::min(lowest, id);
  highest = std::max(highest, id);
}

void IdIndex::Part::allocate() {
  if (size == 0) return;
  const uint64_t range = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest);
  if (range < kSparsest * size) dense.assign(range + 1, kNone);
  else sorted.reserve(size);
}

void IdIndex::Part::add(int64_t id, uint32_t row) {
  if (dense.empty()) sorted.emplace_back(id, row);
  else if (uint32_t& slot = dense[static_cast<uint64_t>(id) - static_cast<uint64_t>(lowest)]; slot == kNone) slot = row;
}

void IdIndex::Part::finish() {
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
}

uint32_t IdIndex::find(uint32_t rank, int64_t id) const {
  const Part& part = parts_[rank];
  if (id == 0 || id < part.lowest || id > part.highest) return kNone;
  if (!part.dense.empty()) return part.dense[static_cast<uint64_t>(id) - static_cast<uint64_t>(part.lowest)];
  const auto at = std::lower_bound(part.sorted.begin(), part.sorted.end(), std::pair{id, uint32_t{0}});
  return at != part.sorted.end() && at->first == id ? at->second : kNone;
}

}  // namespace warplens::analysis
