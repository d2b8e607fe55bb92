// Calls that free memory report it here, for memory that other processes have opened.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// An allocation ends: its pages are this process's own again. Without effect where it was not exported.
void end_export(simt::Address begin);

}  // namespace warplens::cuda_api
