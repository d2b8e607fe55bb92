#include "warplens/profile/native/check.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::native {
namespace {

template <typename T>
uint64_t largest(const Column<T>& column) {
  uint64_t most = 0;
  for (const T value : column) most = std::max(most, static_cast<uint64_t>(value));
  return most;
}

/// The largest reference, those to nothing left out.
uint64_t largest_reference(const Column<uint32_t>& column) {
  uint32_t most = 0;
  for (const uint32_t value : column) most = std::max(most, value == kNone ? 0 : value);
  return most;
}

struct Target {
  uint64_t rows = 0;
  bool optional = false;  // may be kNone
};

Target target_of(const Profile& profile, std::string_view column) {
  if (column == "rank") return {profile.ranks.size()};
  if (column == "thread") return {profile.threads.size()};
  if (column == "device") return {profile.devices.size()};
  if (column == "launch_config") return {profile.launch_configs.size(), true};
  return {profile.collectives.size(), true};
}

template <typename T>
bool within(const Profile& profile, std::string_view name, const Column<T>& column) {
  if constexpr (std::is_same_v<T, StringId>) {
    return largest(column) < profile.strings.size();
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    const auto [rows, optional] = target_of(profile, name);
    if (!optional && std::find(column.begin(), column.end(), kNone) != column.end()) return false;
    const bool all_none = std::all_of(column.begin(), column.end(), [](uint32_t value) { return value == kNone; });
    return all_none || largest_reference(column) < rows;
  } else if constexpr (std::is_same_v<T, OperatorKind>) {
    return largest(column) <= static_cast<uint64_t>(OperatorKind::kInstant);
  } else if constexpr (std::is_same_v<T, CallKind>) {
    return largest(column) <= static_cast<uint64_t>(CallKind::kDriver);
  } else if constexpr (std::is_same_v<T, DeviceEventKind>) {
    return largest(column) <= static_cast<uint64_t>(DeviceEventKind::kRange);
  } else if constexpr (std::is_same_v<T, CopyKind>) {
    return largest(column) <= static_cast<uint64_t>(CopyKind::kOther);
  } else {
    return true;
  }
}

}  // namespace

Status check_references(const Profile& profile) {
  std::string wrong;
  for_each_table(profile, [&](const std::string table_name, const auto& table, const char*) {
    for_each_column(table, [&](const char* name, const auto& column, const char*) {
      if (wrong.empty() && column.size() > 0 && !within(profile, name, column)) wrong = table_name + "." + name;
    });
  });
  if (wrong.empty()) return {};
  return invalid_input(fmt::format("its column {} refers to what is not there: convert the trace again", wrong));
}

}  // namespace warplens::native
