// True if the thread's driver calls are our own, so the counter must ignore them.
#pragma once
#include <utility>

namespace warplens::collect {

inline thread_local bool inside = false;

class Inside {
 public:
  Inside() : before_(std::exchange(inside, true)) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { inside = before_; }

 private:
  bool before_;
};

}  // namespace warplens::collect
