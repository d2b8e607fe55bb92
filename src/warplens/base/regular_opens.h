// Opens of pipes and endless devices, refused to code that reads what somebody else names.
#pragma once
#include <functional>

namespace warplens {

/// Runs `work` on a thread of its own and waits for it. Where it, or a process that it starts, opens a pipe, a socket
/// or a device, the open fails with EACCES; /dev/null opens. By a filter of seccomp, which Linux has from 5.5 on; on
/// another kernel `work` runs without it.
void with_regular_opens(const std::function<void()>& work);

}  // namespace warplens
