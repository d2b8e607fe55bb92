// The driver's facts about a device, from the libcuda that the program has loaded.
#pragma once
#include <cstdint>
#include <string>

#include "warplens/trace/stream/events.h"

namespace warplens::collect {

/// Facts of the device `ordinal`, with its name in `name`; false when there is no driver in this process.
bool device_facts(uint32_t ordinal, stream::Device& device, std::string& name);

}  // namespace warplens::collect
