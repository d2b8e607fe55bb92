// Batch normalisation in training and its gradient.
#pragma once
#include "warplens/libraries/math/tensor.h"

namespace warplens::libraries {

/// `parameters`: the tensor that scale, shift, means and variances have (1 where elements share one).
struct BatchNorm {
  Tensor x, y;
  Tensor parameters;  // its size, step and number; data is not used
  const void *scale = nullptr, *shift = nullptr;
  void *running_mean = nullptr, *running_variance = nullptr;  // in inference they are read; null: none
  void *saved_mean = nullptr, *saved_inverse = nullptr;       // null: none
  double momentum = 0, epsilon = 0, alpha = 1, beta = 0;
};
void run_training(const BatchNorm& norm);
void run_inference(const BatchNorm& norm);

struct BatchNormGradient {
  Tensor x, dy, dx;
  Tensor parameters;
  const void* scale = nullptr;
  void *d_scale = nullptr, *d_shift = nullptr;
  const void *saved_mean = nullptr, *saved_inverse = nullptr;  // null: found again
  double epsilon = 0;
  double data_alpha = 1, data_beta = 0, parameter_alpha = 1, parameter_beta = 0;
};
void run_gradient(const BatchNormGradient& gradient);

}  // namespace warplens::libraries
