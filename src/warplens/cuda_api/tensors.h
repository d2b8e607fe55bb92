// Tensors in the memory that PyTorch's allocator holds. It takes large allocations and cuts tensors from them, so the
// bounds of an allocation are not those of a tensor.
#pragma once

#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// True if PyTorch's allocator cuts tensors from larger allocations.
bool cuts_tensors();

/// Keeps a defect of a launch until the call has ended: then Python may be asked where its tensors are. Until the
/// caller's next step they are where they were in the launch.
void keep_until_asked(simt::Report found);

}  // namespace warplens::cuda_api
