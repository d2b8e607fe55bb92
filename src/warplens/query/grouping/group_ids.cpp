#include "warplens/query/grouping/group_ids.h"

namespace warplens::query {
namespace {

constexpr int64_t kDenseKeys = 1 << 20;

uint64_t mixed(int64_t key, uint32_t before) {
  uint64_t x = static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15 ^ uint64_t { before } * 0xc2b2ae3d27d4eb4f;
  x ^= x >> 29;
  return x * 0xbf58476d1ce4e5b9 >> 20;
}

}  // namespace

void GroupIds::refine(std::span<const int64_t> keys, std::span<uint32_t> ids) {
  if (dense_.empty()) dense_.resize(kDenseKeys);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (ids[i] == 0 && keys[i] >= 0 && keys[i] < kDenseKeys) {
      uint32_t& known = dense_[static_cast<size_t>(keys[i])];
      if (known == 0) known = ++count_;
      ids[i] = known - 1;
    } else {
      ids[i] = find(keys[i], ids[i]);
    }
  }
}

uint32_t GroupIds::find(int64_t key, uint32_t before) {
  if (uint64_t{count_} * 2 > slots_.size()) grow();
  const size_t mask = slots_.size() - 1;
  size_t at = mixed(key, before) & mask;
  while (slots_[at].id != 0 && (slots_[at].key != key || slots_[at].before != before)) at = (at + 1) & mask;
  if (slots_[at].id == 0) slots_[at] = {key, before, ++count_};
  return slots_[at].id - 1;
}

void GroupIds::grow() {
  std::vector<Slot> old(slots_.size() * 4);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == 0) continue;
    size_t at = mixed(slot.key, slot.before) & mask;
    while (slots_[at].id != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace warplens::query
