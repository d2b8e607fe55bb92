#include "warplens/collect/log/host_logs.h"

namespace warplens::collect {

ThreadLog* HostLogs::open(uint32_t thread, uint32_t cupti_thread) {
  const std::lock_guard lock(mutex_);
  ThreadLog* log = nullptr;
  if (!free_.empty()) {
    log = free_.back();
    free_.pop_back();
  } else if (logs_.size() < limit_) {
    log = logs_.emplace_back(std::make_unique<ThreadLog>()).get();
  } else {
    return nullptr;
  }
  log->reopen(thread, cupti_thread);
  return log;
}

std::vector<ThreadLog*> HostLogs::all() {
  const std::lock_guard lock(mutex_);
  std::vector<ThreadLog*> out;
  for (const auto& log : logs_) out.push_back(log.get());
  return out;
}

void HostLogs::recycle(ThreadLog* log) {
  const std::lock_guard lock(mutex_);
  if (std::find(free_.begin(), free_.end(), log) == free_.end()) free_.push_back(log);
}

}  // namespace warplens::collect
