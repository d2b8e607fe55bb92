// The recorder of this process: what the program's threads hand in, and the thread that writes it down.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "warplens/collect/thread_log.h"

namespace warplens::collect {

/// Starts the recorder if it does not run yet: with NVTX's first range or CUDA's initialisation, whichever comes first.
void start_recorder();
/// Begins to record CUDA; called while CUDA initialises.
void attach_cuda();

/// From any thread. Costs about as much as copying the text.
void record_host_event(HostEvent event, uint32_t domain, uint64_t id, std::string_view text);

/// An operator begins, whose name is the first `name_bytes` of `text`, its shapes the rest; kPop ends it.
void record_operator(std::string_view text, size_t name_bytes, int64_t sequence);
/// Whether what is handed in is kept now.
bool is_recording();

/// The end of one step of the program, and the beginning of the next.
void record_step();

/// Ends in order: everything is flushed and the file has its end mark.
void stop_recorder();

}  // namespace warplens::collect
