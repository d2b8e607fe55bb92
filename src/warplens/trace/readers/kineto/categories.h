// Event categories, by the names that kineto has given them over the years and for each vendor.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::kineto {

enum class Category : uint8_t {
  kOperator,
  kRange,
  kRuntime,
  kDriver,
  kKernel,
  kCopy,
  kSet,
  kDeviceRange,
  kSynchronization,
  kPythonFrame,
  kOverhead,
  kInstant,
  kMtia,
  kOther
};

Category category_of(std::string_view name);

}  // namespace warplens::kineto
