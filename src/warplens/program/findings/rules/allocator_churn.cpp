// allocator-churn: memory asked of and given back to the driver inside the step.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/allocations.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> allocator_churn(const Context& c) {
  constexpr double kLeastCalls = 1;  // a step
  const DriverAllocations seen = driver_allocations(c);
  if (c.per_step(static_cast<double>(seen.allocations + seen.frees)) < kLeastCalls || is_uncached(c, seen))
    return std::nullopt;
  // Without steps the trace may hold the first run, in which a cache is filled, or a whole program, which asks for its
  // memory at its start and gives it back at its end.
  if (!c.program.has_steps && !seen.asks_again) return std::nullopt;
  Finding f;
  c.set_saving(f, seen.without);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("the driver allocates {} times and frees {} times {}: {} on the host",
                        format_count(c.per_step(static_cast<double>(seen.allocations))),
                        format_count(c.per_step(static_cast<double>(seen.frees))), c.each_step(),
                        format_ns(static_cast<double>(seen.time_ns) / static_cast<double>(c.program.steps)));
  if (seen.operators.empty()) {
    f.detail = "Allocating memory from the driver keeps the host busy. Freeing it also waits for the device.";
    f.advice = "Allocate memory once, before the loop, and keep it, or use a pool: cudaMallocAsync, cudaFreeAsync.";
  } else {
    f.detail =
        "After warm-up, PyTorch's allocator serves a step from its cache. Freeing device memory also waits for the "
        "device.";
    f.advice =
        seen.frees
            ? "Remove torch.cuda.empty_cache() from the loop; if memory is short, set "
              "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True or lower the peak instead. Pin host buffers once."
            : "Allocate and pin buffers once before the loop; shapes that change every step defeat the cache: pad "
              "them to a few sizes, or set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
  }
  f.evidence = {{"allocations_per_step", c.per_step(static_cast<double>(seen.allocations))},
                {"frees_per_step", c.per_step(static_cast<double>(seen.frees))},
                {"host_ns", seen.time_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(seen.operators);
  return f;
}

}  // namespace warplens::findings
