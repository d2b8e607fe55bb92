// A fusion as people and scripts read it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "warplens/fuse/plan.h"
#include "warplens/fuse/run_gpu.h"
#include "warplens/output/table.h"

namespace warplens::fuse {

struct FusionReport {
  FusionPlan plan;
  std::vector<bench::Measurement> measurements;  // fused, chain and, on a GPU, copy; empty if nothing was run
  std::optional<bench::Comparison> comparison;
  std::string device;  // "NVIDIA H200", "emulated sm_90", ""
  bool valid() const;
};

/// `show`: fused, chain, both or none of the sources.
std::string to_text(const FusionReport& report, const std::string& show, size_t width);
std::string to_json(const FusionReport& report);
Table fusion_table(const FusionReport& report);

}  // namespace warplens::fuse
