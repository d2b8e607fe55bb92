// The host's time in an emulated program: what a host beside a GPU would have taken.
#pragma once
#include <cstdint>
#include <memory>

namespace warplens::cuda_api {

struct Stream;

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

/// How long the program's own code keeps a stream without work, as its events see it where nothing is recorded. Where a
/// stream has work between two events, the host is left out: beside a GPU it would be faster than here.
class HostTime {
 public:
  HostTime();
  ~HostTime();
  void begin_call();
  /// The host has waited until the GPU had reached `waited_ns`.
  void end_call(double waited_ns);
  /// An event is recorded when the stream's work ends at `clock_ns`. The event's own time, by the stream's clock.
  double record(const Stream* stream, double clock_ns);

 private:
  struct Records;
  HostClock clock_;
  int depth_ = 0;
  double waited_ns_ = 0, waited_at_ns_ = 0;  // the last wait: by the GPU's clock, and by the host's
  std::unique_ptr<Records> records_;
};

}  // namespace warplens::cuda_api
