// Cheap time stamps for events: the processor's own counter if it runs at a constant rate. Reading it takes a tenth of
// the time of a clock call. The writer converts them to nanoseconds.
#pragma once
#include <cstdint>

namespace warplens::collect {

/// Now, in units that TickClock knows.
uint64_t ticks();

/// A straight line through the last pair of both clocks and one a tenth of a second or more before it.
class TickClock {
 public:
  struct Pair {
    uint64_t ticks, ns;
  };
  TickClock();
  void sample();
  void sample(Pair now);
  uint64_t ns(uint64_t ticks) const;

 private:
  Pair before_, middle_, last_;
};

}  // namespace warplens::collect
