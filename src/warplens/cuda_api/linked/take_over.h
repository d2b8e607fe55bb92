// Programs and libraries with their own copy of the CUDA runtime, as nvcc links them by default: their calls come here.
#pragma once
#include <string_view>

#include "warplens/cuda_api/visible.h"

/// Called before any constructor of the program and its libraries, this one's included (libcuda.cpp). For each
/// runtime function in a loaded object's symbol table, it writes a jump to the call of the same name here. It
/// does the same for objects loaded later. None of the copy's calls run or are read; its static constructors do
/// run.
CUDA_API void __cudaWarplensTakeOver();
