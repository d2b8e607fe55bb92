// hot-kernel: one kernel takes a good part of the step, and no rule knows what it should take.
#include <algorithm>
#include <iterator>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/intervals.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/findings/kernel_classes.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr double kLeastShare = 0.2;  // of the step

struct Hot {
  uint32_t op = kNone;  // of one launch
  int64_t ns = 0;
  std::vector<analysis::Span> spans;  // streams may run it side by side
  std::vector<uint32_t> rows;         // of device_events
};

/// Products, convolutions and attention of a library: below-roofline and its kind judge them, and where they are fast
/// they are meant to take most of the time.
bool of_library(const Context& c, const ProgramEvent& event) {
  static constexpr std::string_view kMarks[] = {"nvjet_",  "Cijk_",  "xmma",   "cutlass",     "cudnn",      "ampere_",
                                                "volta_",  "gemv",   "miopen", "flash::",     "flash_attn", "fmha",
                                                "turing_", "cublas", "MIOpen", "splitKreduce"};
  const std::string_view name = c.event_name(event), kind = class_of(c, event);
  if (is_compiled(name) || (kind != "gemm" && kind != "convolution" && kind != "attention")) return false;
  return c.op_name(c.op_of(event)).starts_with("aten::") ||
         std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) { return contains(name, mark); });
}

}  // namespace

std::optional<Finding> hot_kernel(const Context& c) {
  std::map<StringId, Hot> kernels;
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.kind[event.row] != DeviceEventKind::kKernel || c.is_communication(event) ||
        moves_memory(c, event) || of_library(c, event))
      continue;
    Hot& hot = kernels[c.p.device_events.name[event.row]];
    hot.op = c.op_of(event);
    hot.ns += event.duration_ns;
    hot.rows.push_back(event.row);
    hot.spans.push_back({c.start_of(event), c.start_of(event) + event.duration_ns});
  }
  const auto hottest = std::max_element(kernels.begin(), kernels.end(),
                                        [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  if (hottest == kernels.end()) return std::nullopt;
  const auto& [name, hot] = *hottest;
  const auto count = static_cast<double>(hot.spans.size());
  const auto runs_ns = static_cast<double>(analysis::length_ns(analysis::unite(hot.spans)));
  const double share = c.per_step(runs_ns) / static_cast<double>(c.own_step_ns());
  if (share < kLeastShare) return std::nullopt;
  Finding f;
  f.level = Level::kInfo;
  f.title =
      fmt::format("one kernel takes {} of the {}: {}", format_share(share), c.program.has_steps ? "step" : "trace",
                  ellipsis(analysis::short_kernel_name(c.p.text(name)), 80));
  f.detail = fmt::format(
      "Launches: {} {}, {} each. The trace does not show what the kernel computes, or how long it should take.",
      format_count(c.per_step(count)), c.each_step(), format_ns(static_cast<double>(hot.ns) / count));
  f.advice =
      "Count what the kernel does (`warplens counters -- PROGRAM`), and compare it with the hardware's limits. If a "
      "library "
      "has the same operation (a product, a reduction, attention), try the library's kernel.";
  f.evidence = {{"kernel", std::string(c.p.text(name))},
                {"device_ns", hot.ns / static_cast<int64_t>(c.program.steps)},
                {"concerned_fraction", share}};
  f.events = hot.rows;
  if (hot.op != kNone) f.where = c.places({hot.op});
  return f;
}

}  // namespace warplens::findings
