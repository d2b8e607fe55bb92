// The defects that --check finds in a program: in its launches, and in host code.
#pragma once
#include <string>

#include "warplens/cuda_api/runtime.h"
#include "warplens/session/run.h"

namespace warplens::cuda_api {

/// Reports it: in the log, or on standard error without one.
void keep_defect(Runtime& runtime, const simt::Report& found);

/// Keeps the defects of a launch, at either level of checks. An unreported fault that stopped it is a defect.
void keep_checked(Runtime& runtime, const Kernel& kernel, const session::Outcome& ran);

/// The host has written those bytes, or copied them from `source` (nullptr: from the host). They are initialised as far
/// as their source is.
void mark_written(Runtime& runtime, const void* target, const void* source, size_t size_bytes);

/// Work of a library reads bytes that were never written. Returns true if it does, and keeps that as a defect.
bool report_unwritten(Runtime& runtime, const std::string& work, const void* begin, uint64_t size_bytes);

/// A copy or fill of the host that goes past the memory that `pointer` is in: CUDA refuses it, which programs
/// overlook.
void report_refused_copy(Runtime& runtime, const void* pointer, size_t size_bytes);

/// A free of something that is not an allocation of this kind, or no longer one: CUDA refuses it, which programs
/// overlook.
void report_refused_free(Runtime& runtime, const void* pointer, bool pinned);

}  // namespace warplens::cuda_api
