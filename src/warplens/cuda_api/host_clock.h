// The host's time in an emulated program: what a host beside a GPU would have taken.
#pragma once
#include <cstdint>
#include <string_view>

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

/// The host's cost of a call, beside an H100.
double call_cost_ns(std::string_view call);

/// The host's time as a program's events see it where nothing is recorded. Calls take their cost beside a GPU. The
/// program's own code between two calls takes the time that it took here.
class HostTime {
 public:
  void begin_call(std::string_view call);
  /// The host waited in the call until the GPU had reached `waited_ns`.
  void end_call(double waited_ns);
  /// When what the present call asks for reaches the GPU.
  double arrival_ns() const { return now_ns_ + cost_ns_; }

 private:
  HostClock clock_;
  int depth_ = 0;
  double now_ns_ = 0, cost_ns_ = 0;  // the second: of the present call
  double read_ns_ = 0;               // by the clock, when the last call ended
};

}  // namespace warplens::cuda_api
