// The limits of a trace's GPU: they bound what-ifs.
#pragma once
#include "warplens/trace/profile/profile.h"

namespace warplens::findings {

/// Rates a well-written kernel reaches, not the data sheet's: bytes and operations a nanosecond.
struct Hardware {
  bool known = false;            // the catalogue has this GPU, or one of its architecture: rates by its SMs
  bool by_name = false;          // it has this GPU
  double dram_bytes_per_ns = 0;  // streaming kernels
  double link_bytes_per_ns = 0;  // pinned copies over PCIe
  double half_flops_per_ns = 0;  // large matrix products in 16 bits
  double tf32_flops_per_ns = 0;
  double fp32_flops_per_ns = 0;
  int sm_count = 0;
  int compute_major = 0;
};

/// Pinned copies in the trace show the link's rate better than the GPU's generation does.
Hardware hardware_of(const Profile& profile, uint32_t device);

}  // namespace warplens::findings
