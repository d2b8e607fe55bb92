// `warplens counters --emulate -- PROGRAM`: the kernels that a program launches, counted without a GPU.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/counters/program_report.h"

namespace warplens::cli {

/// Runs Invocation::command emulated and reports its launches, side by side where --devices-compare names GPUs; its
/// exit code. With --check its defects instead.
Result<int> count_emulated_program(const Invocation& invocation);

/// The counts of its launches, without printing them.
Result<counters::ProgramReport> emulated_program_report(const Invocation& invocation);

}  // namespace warplens::cli
