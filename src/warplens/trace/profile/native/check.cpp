#include "warplens/trace/profile/native/check.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "warplens/base/text.h"

namespace warplens::native {
namespace {

template <typename T>
uint64_t largest(std::span<const T> values) {
  using Number = std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>, std::type_identity<T>>::type;
  Number most = 0;
  for (const T value : values) most = std::max(most, static_cast<Number>(value));
  return most;
}

/// One more than the largest reference; those to nothing (kNone) count as 0.
uint32_t rows_needed(std::span<const uint32_t> values) {
  uint32_t most = 0;
  for (const uint32_t value : values) most = std::max(most, value + 1);
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
bool within(const Profile& profile, std::string_view name, std::span<const T> values) {
  if constexpr (std::is_same_v<T, StringId>) {
    return largest(values) < profile.strings.size();
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    const auto [rows, optional] = target_of(profile, name);
    return rows_needed(values) <= rows && (optional || largest(values) != kNone);
  } else if constexpr (std::is_same_v<T, OperatorKind>) {
    return largest(values) <= static_cast<uint64_t>(OperatorKind::kInstant);
  } else if constexpr (std::is_same_v<T, CallKind>) {
    return largest(values) <= static_cast<uint64_t>(CallKind::kDriver);
  } else if constexpr (std::is_same_v<T, DeviceEventKind>) {
    return largest(values) <= static_cast<uint64_t>(DeviceEventKind::kRange);
  } else if constexpr (std::is_same_v<T, CopyKind>) {
    return largest(values) <= static_cast<uint64_t>(CopyKind::kOther);
  } else {
    return true;
  }
}

}  // namespace

Status check_references(const Profile& profile, const std::function<bool(const std::string& column)>& is_constant) {
  std::string wrong;
  for_each_table(profile, [&](const std::string& table_name, const auto& table, const char*) {
    for_each_column(table, [&]<typename T>(const char* name, const Column<T>& column, const char*) {
      if (!wrong.empty() || column.size() == 0) return;
      const std::string full_name = table_name + "." + name;
      if (!within(profile, name, column.values().first(is_constant(full_name) ? 1 : column.size()))) wrong = full_name;
    });
  });
  if (wrong.empty()) return {};
  return invalid_input(fmt::format("its column {} refers to missing rows: convert the trace again", wrong));
}

}  // namespace warplens::native
