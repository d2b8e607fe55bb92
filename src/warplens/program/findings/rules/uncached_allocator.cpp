// uncached-allocator: every tensor is asked of the driver and given back to it.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/allocations.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> uncached_allocator(const Context& c) {
  const DriverAllocations seen = driver_allocations(c);
  if (!is_uncached(c, seen)) return std::nullopt;
  Finding f;
  c.set_saving(f, seen.without);
  f.title = fmt::format(
      "PyTorch's caching allocator seems to be off: {} allocations and {} frees by the driver {}, {} on "
      "the host",
      format_count(c.per_step(static_cast<double>(seen.device_allocations))),
      format_count(c.per_step(static_cast<double>(seen.frees))), c.each_step(),
      format_ns(static_cast<double>(seen.time_ns) / static_cast<double>(c.program.steps)));
  f.detail = fmt::format(
      "There are {} kernels and copies. Each return of memory to the driver waits for the device, so few launches "
      "are queued.",
      format_count(c.per_step(static_cast<double>(c.program.events.size()))));
  f.advice =
      "Unset PYTORCH_NO_CUDA_MEMORY_CACHING (PYTORCH_NO_HIP_MEMORY_CACHING), except to debug. If you use another "
      "allocator (torch.cuda.memory.change_current_allocator), let it keep a pool.";
  f.evidence = {{"allocations_per_step", c.per_step(static_cast<double>(seen.device_allocations))},
                {"frees_per_step", c.per_step(static_cast<double>(seen.frees))},
                {"host_ns", seen.time_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(seen.operators);
  return f;
}

}  // namespace warplens::findings
