// PyTorch's settings, as far as what it may rely on is not emulated.
#pragma once

namespace warplens::cuda_api {

/// Where PyTorch is loaded: turns its use of cuDNN off, as `torch.backends.cudnn.enabled = False` does, so that it
/// takes its own kernels and cuBLAS. Called before its first operator; done once.
void prepare_torch();

}  // namespace warplens::cuda_api
