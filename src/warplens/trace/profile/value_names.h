// The names of the values of a column that holds an enumeration.
#pragma once
#include <array>
#include <span>
#include <string_view>
#include <type_traits>

#include "warplens/trace/profile/profile.h"

namespace warplens {

inline constexpr std::array<std::string_view, 3> kOperatorKindNames = {"operator", "range", "instant"};
inline constexpr std::array<std::string_view, 2> kCallKindNames = {"runtime", "driver"};
inline constexpr std::array<std::string_view, 4> kDeviceEventKindNames = {"kernel", "copy", "set", "range"};
inline constexpr std::array<std::string_view, 7> kCopyKindNames = {
    "none", "host to device", "device to host", "device to device", "host to host", "peer to peer", "other"};

/// In the order of their numbers; empty for columns that hold no enumeration.
template <typename T>
constexpr std::span<const std::string_view> value_names() {
  if constexpr (std::is_same_v<T, OperatorKind>) return kOperatorKindNames;
  else if constexpr (std::is_same_v<T, CallKind>) return kCallKindNames;
  else if constexpr (std::is_same_v<T, DeviceEventKind>) return kDeviceEventKindNames;
  else if constexpr (std::is_same_v<T, CopyKind>) return kCopyKindNames;
  else return {};
}

}  // namespace warplens
