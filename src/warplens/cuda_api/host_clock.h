// The host's time in a recording of an emulated program: what a host beside a GPU would have taken.
#pragma once
#include <cstdint>

namespace warplens::cuda_api {

/// Real time without that between stop() and go(), and without the waits of threads for a processor. Callers lock.
class HostClock {
 public:
  HostClock();
  /// The time at the calling thread. It stands still between stop() and go().
  double now_ns();
  void stop();
  void go();
  /// Moves the clock by a modelled time.
  void add(double ns) { now_ns_ += ns; }
  /// The sum of all waits for a processor so far.
  double waited_ns() const { return waited_ns_; }

 private:
  double now_ns_ = 0;
  uint64_t read_ns_;  // real time, up to which now_ns_ counts
  bool stopped_ = false;
  double waited_ns_ = 0;
};

}  // namespace warplens::cuda_api
