#include "warplens/counters/plan.h"

#include <algorithm>
#include <cctype>

#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"
#include "warplens/gpu/device.h"

namespace warplens::counters {
namespace {

struct ChipOf {
  const char* device;  // a key of the catalogue
  const char* chip;
};

constexpr ChipOf kChips[] = {{"v100", "GV100"},     {"t4", "TU104"},      {"a100", "GA100"}, {"a10", "GA102"},
                             {"rtx3090", "GA102"},  {"rtx4090", "AD102"}, {"l4", "AD104"},   {"l40s", "AD102"},
                             {"h100pcie", "GH100"}, {"h100", "GH100"},    {"h200", "GH100"}, {"b200", "GB100"},
                             {"rtx5090", "GB202"}};

}  // namespace

Result<Cupti> Cupti::load(const std::string& paths) {
  Cupti out;
  if (const std::string problem = out.library_.load(paths); !problem.empty()) return not_found(problem);
  if (const std::string problem = cupti::host_side_problem(out.library_); !problem.empty()) return not_found(problem);
  if (const std::string problem = out.profiler_.find(out.library_); !problem.empty()) return not_found(problem);
  return out;
}

Result<std::string> Cupti::chip(const std::string& asked) const {
  const std::vector<std::string> chips = cupti::supported_chips(profiler_);
  std::string wanted = upper(asked);
  if (const Result<const gpu::Device*> device = gpu::find_device(asked); device.ok()) {
    for (const ChipOf& known : kChips) {
      if ((*device)->key == std::string_view(known.device)) wanted = known.chip;
    }
  }
  if (std::find(chips.begin(), chips.end(), wanted) != chips.end()) return wanted;
  return usage_error(fmt::format("{}: neither a chip that CUPTI knows ({}) nor a GPU of `warplens device list`", asked,
                                 join(chips, ", ")));
}

Result<Plan> plan_passes(const Cupti& cupti, const std::string& chip, const std::vector<std::string>& metrics) {
  cupti::Host host(cupti.profiler());
  if (const cupti::Result result = host.open(chip, {}); result != cupti::kSuccess)
    return unsupported(fmt::format("{}: {}", chip, cupti.explain(result)));
  if (const cupti::Result result = host.choose(metrics); result != cupti::kSuccess)
    return unsupported(fmt::format("these metrics cannot be counted together on {}: {}", chip, cupti.explain(result)));
  return Plan{chip, host.metrics(), host.units(), host.missing(), host.passes()};
}

Result<std::vector<std::vector<std::string>>> single_pass_groups(const Cupti& cupti, const std::string& chip,
                                                                 const std::vector<std::string>& metrics,
                                                                 std::vector<std::string>* left_out) {
  std::vector<std::vector<std::string>> groups;
  for (const std::string& metric : metrics) {
    WL_ASSIGN(const Plan alone, plan_passes(cupti, chip, {metric}));
    if (alone.passes != 1) {  // 0: the chip lacks it
      left_out->push_back(metric);
      continue;
    }
    bool placed = false;
    for (std::vector<std::string>& group : groups) {
      group.push_back(metric);
      const Result<Plan> together = plan_passes(cupti, chip, group);
      placed = together.ok() && together->passes == 1;
      if (placed) break;
      group.pop_back();
    }
    if (!placed) groups.push_back({metric});
  }
  return groups;
}

Result<std::vector<cupti::MetricInfo>> list_metrics(const Cupti& cupti, const std::string& chip) {
  cupti::Host host(cupti.profiler());
  if (const cupti::Result result = host.open(chip, {}); result != cupti::kSuccess)
    return unsupported(fmt::format("{}: {}", chip, cupti.explain(result)));
  return host.list();
}

}  // namespace warplens::counters
