// torch.autograd.set_detect_anomaly: backward functions look for NaN, forward operators note the Python stack.
#pragma once
#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// Whether backward functions look for NaN in their results.
bool detects_anomalies(const Context& context);

/// Adds to `change` that forward operators note no stack. An operator alone, without the operators and calls inside,
/// then takes no longer than operators of the backward pass usually do.
void note_no_stacks(const Context& context, Change& change);

}  // namespace warplens::findings
