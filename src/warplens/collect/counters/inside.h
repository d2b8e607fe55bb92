// Whether what the thread calls of the driver is our own doing, and so no business of the program's counting.
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
