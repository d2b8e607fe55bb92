// The memory that counted launches wrote, for callers that put it back later.
#pragma once
#include <cstdint>
#include <vector>

namespace warplens::simt::sass_machine {

/// Bytes that a launch wrote, by whole sectors.
struct WrittenRun {
  uint64_t begin = 0, size_bytes = 0;
};

/// `runs` has the memory that the last counted launch of this thread wrote since the watch was made.
class WrittenWatch {
 public:
  WrittenWatch() : before_(current_) { current_ = this; }
  ~WrittenWatch() { current_ = before_; }
  WrittenWatch(const WrittenWatch&) = delete;
  WrittenWatch& operator=(const WrittenWatch&) = delete;
  static WrittenWatch* current() { return current_; }

  std::vector<WrittenRun> runs;

 private:
  inline static thread_local WrittenWatch* current_ = nullptr;
  WrittenWatch* before_;
};

}  // namespace warplens::simt::sass_machine
