// Memory that launches hand on to each other: asking the system for new pages takes longer than a small launch does.
#pragma once
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace warplens::simt::sass_machine {

/// Objects that were given back, of the whole process: they are never destroyed, since programs launch kernels until
/// their very end.
template <typename T>
class Recycled {
 public:
  /// A released object, with its last owner's contents, or a new one.
  static T take() {
    Recycled& all = of_process();
    const std::lock_guard lock(all.mutex_);
    if (all.kept_.empty()) return {};
    T out = std::move(all.kept_.back());
    all.kept_.pop_back();
    return out;
  }
  static void give_back(T&& value, size_t bytes) {
    if (bytes == 0 || bytes > kMostBytes) return;
    Recycled& all = of_process();
    const std::lock_guard lock(all.mutex_);
    if (all.kept_.size() < kMost) all.kept_.push_back(std::move(value));
  }

 private:
  static constexpr size_t kMost = 64, kMostBytes = size_t{4} << 20;
  static Recycled& of_process() {
    static auto* all = new Recycled;
    return *all;
  }
  std::mutex mutex_;
  std::vector<T> kept_;
};

}  // namespace warplens::simt::sass_machine
