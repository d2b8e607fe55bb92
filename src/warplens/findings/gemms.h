// Matrix products with their sizes, kernels and what they could reach.
#pragma once
#include <vector>

#include "warplens/findings/context.h"

namespace warplens::findings {

struct Gemm {
  uint32_t op;
  std::vector<uint32_t> events;  // its kernels, indexes into Program::events; the longest first
  int64_t batch = 1, m = 0, n = 0, k = 0;
  std::string_view dtype;        // of the first matrix
  int64_t device_ns = 0;
  double flops() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  double bytes(int element_bytes) const {
    return static_cast<double>(element_bytes) * static_cast<double>(batch) * static_cast<double>(m * k + k * n + m * n);
  }
};

/// mm, addmm, bmm, baddbmm with recorded shapes.
std::vector<Gemm> find_gemms(const Context& context);

/// Time at `flops_per_ns`, but not less than moving the matrices once, nor than a short kernel.
int64_t gemm_ns(const Context& context, const Gemm& gemm, double flops_per_ns);

/// The best rate that a large product of 16-bit floats reaches in this trace, or the hardware's usual one.
double half_rate(const Context& context, const std::vector<Gemm>& gemms);

/// Sets the kernels of `gemm` to take `new_ns` together.
void retime(const Context& context, const Gemm& gemm, int64_t new_ns, Change& change);

}  // namespace warplens::findings
