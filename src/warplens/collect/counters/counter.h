// Counting in this process: launches that were chosen are replayed by CUPTI, and what was counted is written down.
#pragma once
#include <string_view>

#include "warplens/collect/thread_log.h"

namespace warplens::collect {

/// Whether `warplens kernel -- PROGRAM` runs this program; the recorder then stays out.
bool counting_is_asked();

/// Begins to count; called while CUDA initialises.
void attach_counter();

/// An NVTX range of this thread begins or ends.
void count_host_event(HostEvent event, std::string_view text);

/// Writes what is pending; counting ends. Calling it again is harmless.
void stop_counter();

}  // namespace warplens::collect
