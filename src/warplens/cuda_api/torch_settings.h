// PyTorch's settings for functions that are not emulated.
#pragma once

namespace warplens::cuda_api {

/// If PyTorch is loaded, makes it call cuDNN by the functions of version 7. It then leaves cuDNN's attention alone,
/// which needs graphs of version 8. Works once, before the first operator.
void prepare_torch();

}  // namespace warplens::cuda_api
