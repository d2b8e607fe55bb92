#pragma once

/// Exports the names that programs link to.
#define CUDA_API extern "C" __attribute__((visibility("default")))
