// Launches under --check: their PTX is followed, access by access.
#pragma once
#include <optional>

#include "warplens/cuda_api/runtime.h"
#include "warplens/run/sass/machine.h"

namespace warplens::cuda_api {

/// Runs the kernel's PTX and keeps what the checks find.
Error run_checked(Runtime& runtime, Kernel& kernel, const simt::sass_machine::MachineLaunch& launch);

/// The kernel runs from machine code alone: says so once, and takes all of device memory as written from here on.
void tell_unchecked(Runtime& runtime, const Kernel& kernel, const std::string& why);

/// The host has written, or copied from `source` (nullptr: from the host): those bytes are initialised as far as what
/// they come from is.
void mark_written(Runtime& runtime, const void* target, const void* source, size_t size_bytes);

/// A copy or fill of the host that goes past the memory that `pointer` lies in: CUDA refuses it, which programs
/// overlook.
void report_refused_copy(Runtime& runtime, const void* pointer, size_t size_bytes);

/// At the program's end, or when `device` is reset, of that one: device memory that was never given back.
void report_leaks(Runtime& runtime, std::optional<int> device = {});

}  // namespace warplens::cuda_api
