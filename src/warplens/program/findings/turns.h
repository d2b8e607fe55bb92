// Loops of the program, as the turns that they run.
#pragma once
#include <utility>
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// The outermost operators that a turn runs, in order.
using Turn = std::vector<uint32_t>;
inline constexpr size_t kLeastTurns = 8;  // of the same work on other data: then it is a loop

/// Turns of one loop, of equal names in all.
using Turns = std::vector<Turn>;

/// The outermost operators of one thread within the window, in order.
std::vector<uint32_t> outermost(const Context& context, uint32_t thread);

/// From the first operator's start to the last one's end.
analysis::Span span_of(const Context& context, const Turn& turn);

/// Indexes into Program::events of the host's launches in that time.
std::vector<uint32_t> events_within(const Context& context, const analysis::Span& span);

/// Whether a call in that time waits for the device.
bool waits_within(const Context& context, const analysis::Span& span);

/// Adds to `change` that no call in that time waits for the device.
void stop_waiting_within(const Context& context, const analysis::Span& span, Change& change);

}  // namespace warplens::findings
