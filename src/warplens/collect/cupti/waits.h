// The object that a call waits for, read from its parameters. CUPTI's own records of synchronizations give it too, but
// cost every launch a microsecond.
#pragma once
#include <cstdint>
#include <string_view>

#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

struct Wait {
  uint32_t type;  // stream::kEventSync, ...
  uint32_t stream, context;
  uint64_t event;  // its handle; 0: none
};

/// Which parameters a call waits by; places count from 0 in words of 8 bytes.
struct WaitCall {
  uint32_t type = 0;  // 0: it neither waits nor records an event
  int stream_at = -1, event_at = -1;
};

WaitCall wait_call(std::string_view plain_name);

/// The wait of a call that just ended, on its thread.
Wait read_wait(const Library& cupti, const WaitCall& call, const ApiCallback& data);

}  // namespace warplens::cupti
