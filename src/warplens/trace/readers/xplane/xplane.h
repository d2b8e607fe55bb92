// XSpace (.xplane.pb): the data of XLA's profiler, from JAX and TensorFlow, before conversion to a trace.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens::xplane {

bool sniff(std::string_view head);

struct Converted {
  std::string json;  // the trace events that XLA's own converter would write, all of them
  int64_t events = 0;
  int64_t left_out = 0;  // attributes that hold bytes: compiled programs
  bool damaged = false;  // the message ends early or is broken; the part before is read
};

Converted to_trace_events(std::string_view space);

}  // namespace warplens::xplane
