// Calls of a warp's lanes: their frames of registers and their parts of local memory.
#pragma once
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

/// A call of `function` by `lanes`; its frame comes from the worker's pool, registers that need it cleared.
CallNode* add_node(Warp& w, CallNode* parent, uint32_t function, uint32_t lanes);
/// Releases the frame once no lane needs it.
void drop_node(Warp& w, CallNode* node);

/// Makes local memory at least `bytes` a thread.
void grow_local(Warp& w, uint64_t bytes);
/// Copies whole words of local memory for the lanes of `mask`; offsets in bytes, of a thread's own memory.
void copy_local(Warp& w, uint32_t mask, uint32_t from, uint32_t to, uint32_t bytes);

}  // namespace warplens::simt::ptx_machine
