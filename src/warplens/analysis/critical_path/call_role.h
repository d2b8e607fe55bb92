// What a CUDA or HIP API call does to the flow of time.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "warplens/profile/profile.h"

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

/// Roles of all call names of a profile, looked up once a name.
class CallRoles {
 public:
  explicit CallRoles(const Profile& profile) : profile_(profile), roles_(profile.strings.size(), kUnknown) {}
  CallRole operator()(uint32_t call_row) {
    const StringId name = profile_.calls.name[call_row];
    uint8_t& role = roles_[static_cast<uint32_t>(name)];
    if (role == kUnknown) role = static_cast<uint8_t>(role_of_call(profile_.text(name)));
    return static_cast<CallRole>(role);
  }

 private:
  static constexpr uint8_t kUnknown = 255;
  const Profile& profile_;
  std::vector<uint8_t> roles_;
};

inline bool is_sync(CallRole role) {
  return role == CallRole::kDeviceSync || role == CallRole::kStreamSync || role == CallRole::kEventSync;
}

}  // namespace warplens::analysis
