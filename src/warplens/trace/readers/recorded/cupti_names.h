// The meaning of CUPTI's numbers, in the words of torch's traces.
#pragma once
#include <cstdint>
#include <string>

#include "warplens/trace/profile/profile.h"

namespace warplens::recorded {

std::string copy_name(uint32_t kind, uint32_t source, uint32_t destination);  // "Memcpy HtoD (Pinned -> Device)"
std::string set_name(uint32_t memory);                                        // "Memset (Device)"
std::string sync_name(uint32_t type);                                         // "Stream Sync"
CopyKind copy_direction(uint32_t kind);

}  // namespace warplens::recorded
