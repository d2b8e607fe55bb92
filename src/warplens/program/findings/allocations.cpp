#include "warplens/program/findings/allocations.h"

#include <algorithm>
#include <limits>

#include "warplens/program/findings/advice.h"
#include "warplens/program/findings/cold_start.h"

namespace warplens::findings {

DriverAllocations driver_allocations(const Context& c) {
  DriverAllocations out;
  analysis::CallRoles roles(c.p);
  int64_t first_free = std::numeric_limits<int64_t>::max(), last_allocation = std::numeric_limits<int64_t>::min();
  for (const analysis::ProgramCall& call : c.program.calls) {
    const analysis::CallRole role = roles(call.row);
    if (role != analysis::CallRole::kAllocate && role != analysis::CallRole::kFree) continue;
    if (analysis::overlap_ns(c.cold_start().time, call.start_ns, call.end_ns) > 0) continue;
    const std::string_view name = c.p.text(c.p.calls.name[call.row]);
    out.allocations += role == analysis::CallRole::kAllocate;
    out.frees += role == analysis::CallRole::kFree;
    if (role == analysis::CallRole::kFree) first_free = std::min(first_free, call.start_ns);
    else last_allocation = std::max(last_allocation, call.start_ns);
    out.device_allocations += name == "cudaMalloc" || name == "hipMalloc";
    out.time_ns += call.end_ns - call.start_ns;
    out.without.host_removed.push_back({call.start_ns, call.end_ns});
    out.without.calls_not_waiting.push_back(call.row);
    const uint32_t op = c.joined.links.call_operator[call.row];
    if (op != kNone) out.operators.push_back(c.root_of(op));
  }
  out.asks_again = last_allocation > first_free;
  return out;
}

bool is_uncached(const Context& c, const DriverAllocations& seen) {
  constexpr double kLeastAllocations = 30;  // a step
  constexpr double kOfEvents = 0.25, kFreed = 0.5;
  const auto allocations = static_cast<double>(seen.device_allocations);
  return kind_of(c.p) != ProgramKind::kElsewhere && c.per_step(allocations) >= kLeastAllocations &&
         allocations >= kOfEvents * static_cast<double>(c.program.events.size()) &&
         static_cast<double>(seen.frees) >= kFreed * allocations;
}

}  // namespace warplens::findings
