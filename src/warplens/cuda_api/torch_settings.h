// PyTorch's settings for functions that are not emulated.
#pragma once

namespace warplens::cuda_api {

/// If PyTorch is loaded, makes it call cuDNN by the functions of version 7, without cuDNN's attention, which needs
/// graphs of version 8. Called before its first operator; done once.
void prepare_torch();

}  // namespace warplens::cuda_api
