// Counting in this process: launches that were chosen are replayed by CUPTI, and what was counted is written down.
#pragma once
#include <string_view>

#include "warplens/collect/log/thread_log.h"

namespace warplens::collect {

/// Whether `warplens counters -- PROGRAM` runs this program; the recorder then stays out.
bool counting_is_asked();

/// Begins to count; called while CUDA initialises.
void attach_counter();

/// Whether what this thread launches is in a range of the chosen name: it is in one itself, or it never pushed a range,
/// as autograd's threads do not, and another thread is in one.
bool launches_in_range();

/// An NVTX range of this thread begins or ends.
void count_host_event(HostEvent event, std::string_view text);

/// cudaProfilerStart or Stop, where they are the chosen range: it is every thread's.
void count_profiler_call(bool begins);

/// Writes what is pending; counting ends. Calling it again is harmless.
void stop_counter();

/// Counts from here on, in a process whose CUDA may long have started; end_counting() ends it, and it may begin again.
/// False where it is refused (the journal says why) or goes on already.
bool begin_counting();
void end_counting();

}  // namespace warplens::collect
