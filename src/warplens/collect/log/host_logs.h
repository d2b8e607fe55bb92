// The logs of all host threads: a bounded number, given to threads as they come and taken back when they end.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "warplens/collect/log/thread_log.h"

namespace warplens::collect {

class HostLogs {
 public:
  explicit HostLogs(size_t limit_bytes) : limit_(std::max<size_t>(1, limit_bytes / kThreadLogBytes)) {}

  /// A log for the calling thread, or nullptr (counted by count_lost()) when there are too many threads.
  ThreadLog* open(uint32_t thread, uint32_t cupti_thread);
  void count_lost() { lost_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t take_lost() { return lost_.exchange(0, std::memory_order_relaxed); }

  /// The logs there are, for the writer.
  std::vector<ThreadLog*> all();
  /// A closed log that was read to its end is free for another thread.
  void recycle(ThreadLog* log);

 private:
  size_t limit_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadLog>> logs_;
  std::vector<ThreadLog*> free_;
  std::atomic<uint64_t> lost_{0};
};

}  // namespace warplens::collect
