// PyTorch's settings, as far as what it may rely on is not emulated.
#pragma once

namespace warplens::cuda_api {

/// Where PyTorch is loaded: has it call cuDNN by the functions of version 7, and leave cuDNN's attention alone, which
/// comes by graphs of version 8. Called before its first operator; done once.
void prepare_torch();

}  // namespace warplens::cuda_api
