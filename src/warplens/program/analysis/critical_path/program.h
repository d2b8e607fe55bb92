// The recorded program as a graph that can be run again: host work, calls, device events, and the waits between them.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/critical_path/profiler_cost.h"
#include "warplens/program/analysis/intervals.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/steps.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// A kernel, copy or set. It starts when its call has reached the device, its stream is free and `waits` have ended.
struct ProgramEvent {
  uint32_t row;     // of device_events
  uint32_t stream;  // index into Program::streams
  uint32_t call;    // index into Program::calls
  int64_t duration_ns;
  int64_t latency_ns;               // least time from the start of its call to its own start
  int64_t gap_ns;                   // least time after the event before it on its stream
  int64_t delay_ns;                 // the part of its recorded start that latency, stream and waits do not explain
  uint32_t waits_begin, waits_end;  // in Program::waits: events of other streams that must end before it
};

/// A call of the CUDA API, all host threads of the rank in one line: host work before it, its own work, and a wait.
struct ProgramCall {
  uint32_t row;                       // of calls
  int64_t gap_start_ns;               // recorded end of the call before it (or the window's start)
  int64_t start_ns, end_ns;           // recorded
  int64_t before_ns;                  // host work in [gap_start, start), recording taken out
  int64_t own_ns;                     // the call's own work, without waits and without the recording's cost
  int64_t return_ns;                  // from the end of the last event waited for to the call's return
  uint32_t events_begin, events_end;  // in Program::events: its device work
  uint32_t waits_begin, waits_end;    // in Program::waits: events that end before it returns
  bool blocks() const { return waits_end != waits_begin; }
};

/// One thread's last operator before another thread's first: the time that waking the other took.
struct HandOver {
  int64_t start_ns, end_ns;         // recorded
  uint32_t calls_begin, calls_end;  // in Program::calls: those made while the woken thread slept
};

struct Program {
  uint32_t rank = 0;
  int64_t start_ns = 0, end_ns = 0;  // recorded window: whole steps where there are any
  size_t steps = 1;                  // steps in the window; 1 when the trace has no steps
  bool has_steps = false;
  std::vector<std::pair<uint32_t, int64_t>> streams;  // (device row, stream id)
  std::vector<ProgramCall> calls;                     // in order of start
  std::vector<ProgramEvent> events;                   // in order of their calls, then of their start
  std::vector<uint32_t> waits;                        // indexes into events
  std::vector<HandOver> hand_overs;                   // in order
  std::vector<uint32_t> event_of_row;                 // row of device_events -> index into events, or kNone
  int64_t tail_ns = 0;                                // host work after the last call, recording taken out
  int64_t tail_start_ns = 0;
  int64_t launch_latency_ns = 0;  // typical: call start to kernel start on an idle stream
  int64_t stream_gap_ns = 0;      // typical: between two kernels of a busy stream
  int64_t recording_ns = 0;       // profiler's cost taken out of the host, whole window
  ProfilerCost cost;

  bool calls_within(Span host) const;  // whether a call begins in that time
};

Program build_program(const Profile& profile, const Forest& operators, const Links& links,
                      const std::vector<Step>& steps, uint32_t rank);

}  // namespace warplens::analysis
