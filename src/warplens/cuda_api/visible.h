#pragma once

/// What programs find by name.
#define CUDA_API extern "C" __attribute__((visibility("default")))
