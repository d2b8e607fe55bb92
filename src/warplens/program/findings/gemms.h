// Matrix products with their sizes, kernels and reachable times.
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// mm, addmm, bmm, baddbmm with recorded shapes; Context::gemms() has all of them.
struct Gemm {
  uint32_t op;
  std::vector<uint32_t> events;  // its kernels, indexes into Program::events; the longest first
  int64_t batch = 1, m = 0, n = 0, k = 0;
  std::string_view dtype;    // of the first matrix
  int64_t lda = 0, ldb = 0;  // leading dimensions of both, by their strides; 0 where those were not recorded
  int64_t device_ns = 0;
  double flops() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  double bytes(int element_bytes) const {
    return static_cast<double>(element_bytes) * static_cast<double>(batch) * static_cast<double>(m * k + k * n + m * n);
  }
};

/// Time at `flops_per_ns`, but not less than moving the matrices once, nor than a short kernel.
int64_t gemm_ns(const Context& context, const Gemm& gemm, double flops_per_ns);

/// The best rate that a large product of 16-bit floats reaches in this trace, or the hardware's usual one.
double half_rate(const Context& context);

/// The kernel of a product that takes longest.
std::string_view kernel_name(const Context& context, const Gemm& gemm);

/// A kernel of a product that does not use tensor cores, by its name.
bool on_ordinary_units(std::string_view kernel);

/// The cost of products on ordinary units: a finding without title, detail and advice, and the costliest of them.
struct SlowGemms {
  Finding finding;
  const Gemm* worst;
  double step_ns;  // device time of all of them, a step
};

/// The products for which `slow`, if at `flops_per_ns` they would save enough to be worth a finding.
std::optional<SlowGemms> slow_gemms(const Context& context, double flops_per_ns,
                                    const std::function<bool(const Gemm&)>& slow);

}  // namespace warplens::findings
