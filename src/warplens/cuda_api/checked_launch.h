// What --check finds of a program: in its launches, and in what the host does.
#pragma once
#include <string>

#include "warplens/cuda_api/runtime.h"
#include "warplens/session/run.h"

namespace warplens::cuda_api {

/// Tells of it: in the log, or on standard error where there is none.
void keep_defect(Runtime& runtime, const simt::Report& found);

/// Keeps what checks found of a launch, whatever they followed. What stopped it without having been told is a defect.
void keep_checked(Runtime& runtime, const Kernel& kernel, const session::Outcome& ran);

/// The host has written, or copied from `source` (nullptr: from the host): those bytes are initialised as far as what
/// they come from is.
void mark_written(Runtime& runtime, const void* target, const void* source, size_t size_bytes);

/// Work of a library reads bytes that nothing has written. Returns whether it does, having kept that as a defect.
bool report_unwritten(Runtime& runtime, const std::string& work, const void* begin, uint64_t size_bytes);

/// A copy or fill of the host that goes past the memory that `pointer` lies in: CUDA refuses it, which programs
/// overlook.
void report_refused_copy(Runtime& runtime, const void* pointer, size_t size_bytes);

}  // namespace warplens::cuda_api
