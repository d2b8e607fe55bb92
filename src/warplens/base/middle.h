// The middle of a list of values: the median, or of an even number the greater of the two in the middle.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace warplens {

/// `otherwise`: of no values.
template <typename T>
T middle_of(std::vector<T> values, T otherwise = T()) {
  if (values.empty()) return otherwise;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace warplens
