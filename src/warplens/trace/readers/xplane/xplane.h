// XSpace (.xplane.pb): the data of XLA's profiler, from JAX and TensorFlow, before conversion to a trace.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/trace/readers/input/growth.h"

namespace warplens::xplane {

bool sniff(std::string_view head);

struct Converted {
  std::string json;  // the trace events that XLA's own converter would write, all of them
  int64_t events = 0;
  int64_t left_out = 0;  // attributes of planes and of kinds of events, and those that hold bytes: compiled programs
  struct Sum {
    int64_t occurrences = 0;
    double duration_ns = 0;
  };
  int64_t sums = 0, occurrences = 0;   // events that stand for so many together, at no time
  std::map<std::string, Sum> sums_of;  // by name
  std::vector<std::string> told;       // the profiler's own errors and warnings
  Growth growth{0};
  bool damaged = false;  // the message ends early or is broken; the part before is read
};

Converted to_trace_events(std::string_view space);

}  // namespace warplens::xplane
