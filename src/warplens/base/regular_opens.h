// Denies opening pipes and endless devices to code that reads files which somebody else names.
#pragma once
#include <functional>

namespace warplens {

/// Runs `work` on a thread of its own and waits for it. If it, or a process that it starts, opens a pipe, a socket or a
/// device, the open fails with EACCES; /dev/null opens. Uses a seccomp filter, from Linux 5.5 on. On other kernels,
/// `work` runs without it.
void with_regular_opens(const std::function<void()>& work);

}  // namespace warplens
