#include "warplens/run/sass/control/child_launches.h"

#include <algorithm>
#include <utility>

namespace warplens::simt::sass_machine {

void ChildLaunches::add(ChildLaunch child) {
  const std::lock_guard lock(mutex_);
  asked_.push_back(std::move(child));
}

std::vector<ChildLaunch> ChildLaunches::take() {
  const std::lock_guard lock(mutex_);
  std::ranges::stable_sort(asked_, {}, [](const ChildLaunch& c) {
    return std::pair(c.stream == kTailLaunch, c.stream == kTailLaunch ? 0 : c.asked_by);
  });
  return std::exchange(asked_, {});
}

}  // namespace warplens::simt::sass_machine
