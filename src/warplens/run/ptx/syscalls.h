// Functions that the CUDA system provides to kernels: vprintf, __assertfail, malloc, free, and the call
// that sets the condition of a graph.
#pragma once
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/run/ptx/program.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt::ptx_machine {

struct Grid;

/// nullptr when there is no such function. Op: arguments are vector entries from e in Program::slots, each an offset
/// in the caller's local memory; b is that of the result.
Handler system_call(std::string_view name);

/// malloc in a kernel; the launch's checks, if there are any, hear of it. Errors: no memory left.
Result<Address> allocate_in_kernel(const Grid& grid, uint64_t size_bytes);

}  // namespace warplens::simt::ptx_machine
