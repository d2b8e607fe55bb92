// What a thread of the host did, as a recording holds it.
#pragma once
#include <cstdint>

#include "warplens/collect/log/thread_log.h"
#include "warplens/trace/stream/encoder.h"

namespace warplens::collect {

/// Ranges, operators, marks, names and samples; calls of CUDA are encoded by those who know their names.
void encode_host_event(stream::Encoder& encoder, uint32_t thread, uint64_t time_ns, const HostRecord& record);

}  // namespace warplens::collect
