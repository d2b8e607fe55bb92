// Values by the ids that a recording gives them. A recorder counts its ids up from 0, so they are dense.
// An id far above all others (after missing blocks, or in a hostile file) takes no more memory than
// another.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warplens::recorded {

template <typename T>
class ById {
 public:
  /// The value of `id`, a new one unless there is one.
  T& operator[](uint64_t id) {
    if (const T* known = find(id)) return const_cast<T&>(*known);
    ++made_;
    if (id >= kSpread * (made_ + kSpread)) return far_[id];
    near_.resize(id + 1);
    return near_[id];
  }

  /// Null where `id` has no value.
  const T* find(uint64_t id) const {
    if (!far_.empty())  // first, since near_ may have grown beyond an id that was far
      if (const auto found = far_.find(id); found != far_.end()) return &found->second;
    return id < near_.size() ? &near_[id] : nullptr;
  }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const T& value : near_) visit(value);
    for (const auto& [id, value] : far_) visit(value);
  }

 private:
  static constexpr uint64_t kSpread = 16;  // ids for each value made that may lie unused
  std::vector<T> near_;
  std::unordered_map<uint64_t, T> far_;
  uint64_t made_ = 0;
};

}  // namespace warplens::recorded
