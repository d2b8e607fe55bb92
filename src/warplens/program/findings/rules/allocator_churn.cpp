// allocator-churn: memory asked of and given back to the driver inside the step.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> allocator_churn(const Context& c) {
  constexpr double kLeastCalls = 1, kLeastSaving = 0.01;  // a step
  analysis::CallRoles roles(c.p);
  Change change;
  std::vector<uint32_t> ops;
  size_t allocations = 0, frees = 0;
  int64_t time_ns = 0;
  for (const analysis::ProgramCall& call : c.program.calls) {
    const analysis::CallRole role = roles(call.row);
    if (role != analysis::CallRole::kAllocate && role != analysis::CallRole::kFree) continue;
    allocations += role == analysis::CallRole::kAllocate, frees += role == analysis::CallRole::kFree;
    time_ns += call.end_ns - call.start_ns;
    change.host_removed.push_back({call.start_ns, call.end_ns});
    change.calls_not_waiting.push_back(call.row);
    const uint32_t op = c.joined.links.call_operator[call.row];
    if (op != kNone) ops.push_back(c.root_of(op));
  }
  if (c.per_step(static_cast<double>(allocations + frees)) < kLeastCalls) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  f.title = fmt::format("the driver allocates {} times and frees {} times {}: {} on the host",
                        format_count(c.per_step(static_cast<double>(allocations))),
                        format_count(c.per_step(static_cast<double>(frees))), c.each_step(),
                        format_ns(static_cast<double>(time_ns) / static_cast<double>(c.program.steps)));
  f.detail =
      "After warm-up PyTorch's allocator serves a step from its cache; freeing device memory also waits for the "
      "device.";
  f.advice = frees
                 ? "Remove torch.cuda.empty_cache() from the loop; if memory is short, set "
                   "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True or lower the peak instead. Pin host buffers once."
                 : "Allocate and pin buffers once before the loop; shapes that change every step defeat the cache: pad "
                   "them to a few sizes, or set "
                   "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
  f.evidence = {{"allocations_per_step", c.per_step(static_cast<double>(allocations))},
                {"frees_per_step", c.per_step(static_cast<double>(frees))},
                {"host_ns", time_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
