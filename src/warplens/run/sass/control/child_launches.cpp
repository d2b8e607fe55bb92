#include "warplens/run/sass/control/child_launches.h"

#include <algorithm>
#include <utility>

namespace warplens::simt::sass_machine {

uint32_t ChildLaunches::add(ChildLaunch child) {
  const std::lock_guard lock(mutex_);
  const uint32_t error = child.copy || !host_.refusal ? 0 : host_.refusal(child);
  if (error == 0) asked_.push_back(std::move(child));
  return error;
}

std::vector<ChildLaunch> ChildLaunches::take() {
  const std::lock_guard lock(mutex_);
  std::ranges::stable_sort(asked_, {}, [](const ChildLaunch& c) {
    return std::pair(c.stream == kTailLaunch, c.stream == kTailLaunch ? 0 : c.asked_by);
  });
  return std::exchange(asked_, {});
}

void ChildLaunches::went_wrong(uint64_t block, uint32_t thread, uint32_t error) {
  const std::lock_guard lock(mutex_);
  last_errors_[{block, thread}] = error;
}

uint32_t ChildLaunches::last_error(uint64_t block, uint32_t thread, bool forgets) {
  const std::lock_guard lock(mutex_);
  const auto found = last_errors_.find({block, thread});
  if (found == last_errors_.end()) return 0;
  const uint32_t error = found->second;
  if (forgets) last_errors_.erase(found);
  return error;
}

}  // namespace warplens::simt::sass_machine
