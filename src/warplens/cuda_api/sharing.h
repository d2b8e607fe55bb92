// Kernels of several streams at once: they share the GPU's SMs.
#pragma once
#include <deque>

#include "warplens/cuda_api/recording.h"

namespace warplens::cuda_api {

/// Launched kernels, each with the share of all SMs that its blocks fill, 0..1. Earlier ones keep their SMs; later ones
/// get the rest, as the hardware distributes blocks.
class Residents {
 public:
  /// When a kernel runs that could begin at `begin_ns` and would last `ns` by itself.
  Span place(int device, double begin_ns, double ns, double share);

 private:
  struct Resident {
    Span span;
    double share = 1;
    int device = 0;
  };
  static constexpr size_t kKept = 256;
  std::deque<Resident> all_;  // the oldest first
};

}  // namespace warplens::cuda_api
