// Work of the device and the host that only serves a value that the host reads.
#pragma once
#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// An operator that brings one value to the host.
bool reads_value(std::string_view operator_name);
/// The outermost such operator around `op`, or kNone.
uint32_t reader_around(const Context& context, uint32_t op);

/// Adds to `change` that the operators right before `reader` do not run, as far as they only compute its value. Those
/// are views, and the count or the truth value of a comparison.
void remove_served(const Context& context, uint32_t reader, Change& change);

/// For a value that no operator reads. If it was cleared right before the kernel before it on its stream, neither the
/// clearing nor that kernel runs.
void remove_kernel_of_value(const Context& context, const ProgramEvent& read, Change& change);

/// The host reads values, computes, and uploads others before it launches anything else. Its time from the read to the
/// last upload, whose launch stands for the device's work; empty where there is no such turn.
analysis::Span turn_of_host(const Context& context, const ProgramEvent& read);

/// A boolean mask picks elements in `op`, after a `search` for them: adds that an operator which keeps the shape does
/// it, forward and backward.
void keep_shape(const Context& context, uint32_t op, uint32_t search, Change& change);

}  // namespace warplens::findings
