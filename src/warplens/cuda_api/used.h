// Whether the program that `warplens emulate` started used CUDA, itself or by what it started.
#pragma once

namespace warplens::cuda_api {

/// Leaves word that this process does. The first process says so at its end where nobody has: who expected otherwise
/// would never know.
void tell_used();

}  // namespace warplens::cuda_api
