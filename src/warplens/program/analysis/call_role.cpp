#include "warplens/program/analysis/call_role.h"

#include "warplens/base/text.h"

namespace warplens::analysis {

CallRole role_of_call(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  if (contains(name, "Graph")) return contains(name, "Launch") ? CallRole::kGraphLaunch : CallRole::kOther;
  if (contains(name, "LaunchKernel") || contains(name, "LaunchCooperative") || name.starts_with("Memset"))
    return CallRole::kLaunch;
  if (contains(name, "DeviceSynchronize") || contains(name, "CtxSynchronize")) return CallRole::kDeviceSync;
  if (contains(name, "StreamSynchronize")) return CallRole::kStreamSync;
  if (contains(name, "EventSynchronize")) return CallRole::kEventSync;
  if (contains(name, "StreamWaitEvent")) return CallRole::kStreamWait;
  if (contains(name, "EventRecord")) return CallRole::kEventRecord;
  if (name.starts_with("Memcpy")) return CallRole::kCopy;
  if (contains(name, "Malloc") || contains(name, "HostAlloc") || contains(name, "HostRegister") ||
      contains(name, "MemCreate") || contains(name, "MemMap") || contains(name, "MemSetAccess")) {
    return CallRole::kAllocate;
  }
  if (name.starts_with("Free") || contains(name, "HostUnregister") || contains(name, "MemUnmap") ||
      contains(name, "MemRelease"))
    return CallRole::kFree;
  return CallRole::kOther;
}

}  // namespace warplens::analysis
