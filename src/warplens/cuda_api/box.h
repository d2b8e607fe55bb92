// Copies as the driver takes them: CUDA_MEMCPY2D and CUDA_MEMCPY3D.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

enum MemoryKind : int { kHostMemory = 1, kDeviceMemory = 2, kArrayMemory = 3, kUnifiedMemory = 4 };

struct Side2D {
  size_t x_bytes, y;
  int kind;
  void* host;
  simt::Address device;
  void* array;
  size_t pitch;
};
struct Copy2D {
  Side2D source, target;
  size_t width_bytes, rows;
};
static_assert(sizeof(Copy2D) == 128);

struct SideOfBox {
  size_t x_bytes, y, z, level;
  int kind;
  void* host;
  simt::Address device;
  void *array, *reserved;
  size_t pitch, height;
};
struct CopyOfBox {
  SideOfBox source, target;
  size_t width_bytes, rows, planes;
};
static_assert(sizeof(CopyOfBox) == 200);

/// Errors: an invalid side, bytes outside an array.
Error copy_box(Runtime& runtime, const CopyOfBox& c);

}  // namespace warplens::cuda_api
