// Functions that the CUDA system provides to kernels, called by their address: vprintf, __assertfail, malloc, free,
// cudaGraphSetConditional, and the runtime's (device_runtime.h). Kernels that a kernel launches are named in the same
// way.
#pragma once
#include "warplens/run/sass/op.h"
#include "warplens/run/sass/program.h"

namespace warplens::simt::sass_machine {

/// Addresses of functions that a cubin needs and does not hold: far from any code, one after another by their index in
/// Program::system_calls.
inline constexpr uint64_t kSystemCalls = uint64_t{1} << 48;
inline constexpr uint64_t kSystemCallBytes = 16;
inline bool is_system_call(uint64_t address) { return address >= kSystemCalls && address < kFunctionPointers; }

/// Host bytes of a lane's generic address, or nullptr.
uint8_t* byte_at(Warp& warp, uint32_t lane, uint64_t address);

/// 32 bits at a lane's generic address; nothing if the address is invalid.
void put_word(Warp& warp, uint32_t lane, uint64_t address, uint32_t value);

/// Calls it for the lanes of `on`, which return to R20:21 once they have waited as `then` says. The block stops if the
/// function is unknown.
void call_system(Warp& warp, uint64_t address, uint32_t on, Split* then);

}  // namespace warplens::simt::sass_machine
