// Marks the calls of PyTorch's modules as ranges, from C: Python's NVTX takes a microsecond for each.
#pragma once

namespace warplens::collect {

/// A function for Python that calls `call`, torch.nn.Module's own __call__, in a range. `name_of` gives the range's
/// name the first time that a module is called. All are Python objects, and the caller holds Python's lock. nullptr if
/// this Python lacks a required function.
void* marked_module_call(void* call, void* name_of);

}  // namespace warplens::collect
