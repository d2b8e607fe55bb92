// Events of a host thread, as a recording holds them.
#pragma once
#include <cstdint>

#include "warplens/collect/log/thread_log.h"
#include "warplens/trace/stream/encoder.h"

namespace warplens::collect {

/// Ranges, operators, marks, names and samples. The code that knows the names of CUDA calls encodes those.
void encode_host_event(stream::Encoder& encoder, uint32_t thread, uint64_t time_ns, const HostRecord& record);

}  // namespace warplens::collect
