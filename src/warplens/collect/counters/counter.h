// Counts in this process: CUPTI replays the chosen launches, and the counts are written to a file.
#pragma once
#include <string_view>

#include "warplens/collect/log/thread_log.h"

namespace warplens::collect {

/// Whether `warplens counters -- PROGRAM` runs this program; the recorder then stays out.
bool counting_is_asked();

/// Begins to count; called while CUDA initialises.
void attach_counter();

/// True if launches of this thread are in a range of the chosen name. The thread is in one itself, or another thread is
/// in one and this one never pushed a range, as autograd's threads do not.
bool launches_in_range();

/// An NVTX range of this thread begins or ends.
void count_host_event(HostEvent event, std::string_view text);

/// cudaProfilerStart or Stop, where they are the chosen range: it is every thread's.
void count_profiler_call(bool begins);

/// Writes pending counts and ends counting. A second call does nothing.
void stop_counter();

/// Starts counting, in a process that may have used CUDA for long. end_counting() ends it, and it may start again.
/// False if it is refused (the journal has the reason) or already counts.
bool begin_counting();
void end_counting();

}  // namespace warplens::collect
