// True if the program that `warplens emulate` started used CUDA, itself or in a child.
#pragma once

namespace warplens::cuda_api {

/// Records that this process does. At its end, the first process reports if no process did, because a user who expected
/// it would not notice.
void tell_used();

}  // namespace warplens::cuda_api
