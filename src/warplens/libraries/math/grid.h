// Sampling of images at places of a grid, and grids from affine maps: corners of images are at -1 and 1.
#pragma once
#include "warplens/libraries/math/tensor.h"

namespace warplens::libraries {

/// `grid`: (images, height, width, 2) of the image's type; y is (images, channels, 1, height, width).
struct GridSample {
  Tensor x, y;
  const void* grid = nullptr;
  double alpha = 1, beta = 0;
};
void run(const GridSample& sample);

struct GridSampleGradient {
  Tensor x, dx, dy;
  const void* grid = nullptr;
  void* d_grid = nullptr;
  double x_alpha = 1, x_beta = 0, grid_alpha = 1, grid_beta = 0;
};
void run(const GridSampleGradient& gradient);

/// `maps`: (images, 2, 3).
struct AffineGrid {
  Number number = Number::kF32;
  int64_t images = 0, height = 0, width = 0;
  void *maps = nullptr, *grid = nullptr;
};
void run(const AffineGrid& grid);
/// The gradient of the maps, from the grid's.
void run_gradient(const AffineGrid& grid);

}  // namespace warplens::libraries
