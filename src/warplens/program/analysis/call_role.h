// The effect of a CUDA or HIP API call on the flow of time.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "warplens/trace/profile/name_memo.h"

namespace warplens::analysis {

enum class CallRole : uint8_t {
  kOther,
  kLaunch,
  kGraphLaunch,
  kCopy,
  kDeviceSync,
  kStreamSync,
  kEventSync,
  kAllocate,
  kFree,
  kEventRecord,
  kStreamWait,
};

CallRole role_of_call(std::string_view name);

/// Roles of calls, by their rows.
class CallRoles {
 public:
  explicit CallRoles(const Profile& profile) : names_(profile.calls.name.values()), roles_(profile, role_of_call) {}
  CallRole operator()(uint32_t call_row) { return roles_(names_[call_row]); }

 private:
  std::span<const StringId> names_;
  NameMemo<CallRole (*)(std::string_view)> roles_;
};

inline bool is_sync(CallRole role) {
  return role == CallRole::kDeviceSync || role == CallRole::kStreamSync || role == CallRole::kEventSync;
}

}  // namespace warplens::analysis
