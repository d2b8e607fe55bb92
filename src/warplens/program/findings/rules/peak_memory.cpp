// peak-memory: who holds the device's memory when most of it is allocated.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/memory/peak.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr size_t kOwners = 5;
constexpr double kLeastShare = 0.1;  // of the peak, for the largest owner
constexpr double kNearlyFull = 0.8;  // of the device's memory

std::string owner_text(const analysis::MemoryOwner& owner, int64_t peak_bytes) {
  return fmt::format("{} ({}) {}", format_bytes(static_cast<double>(owner.bytes)),
                     format_share(static_cast<double>(owner.bytes) / static_cast<double>(peak_bytes)), owner.place());
}

}  // namespace

std::optional<Finding> peak_memory(const Context& c) {
  if (c.p.allocations.size() == 0) return std::nullopt;
  const auto peak = analysis::memory_peak(c.p, c.program.rank, c.joined.operators, c.joined.frames);
  if (!peak || peak->owners.empty()) return std::nullopt;
  const auto bytes = static_cast<double>(peak->allocated_bytes);
  const analysis::MemoryOwner& first = peak->owners.front();
  if (static_cast<double>(first.bytes) < kLeastShare * bytes) return std::nullopt;
  const auto device_bytes = static_cast<double>(c.p.devices.memory_bytes[c.device]);
  Finding f;
  f.level = device_bytes > 0 && static_cast<double>(peak->reserved_bytes) > kNearlyFull * device_bytes ? Level::kWarn
                                                                                                       : Level::kInfo;
  f.title = fmt::format("{} are allocated at the peak, {} of them by {}", format_bytes(bytes),
                        format_share(static_cast<double>(first.bytes) / bytes), first.name);
  std::vector<std::string> parts;
  if (peak->before_bytes > 0)
    parts.push_back(fmt::format("{} were allocated before the trace began, usually for weights and optimizer states",
                                format_bytes(static_cast<double>(peak->before_bytes))));
  if (peak->reserved_bytes > 0)
    parts.push_back(
        fmt::format("{} are reserved{}", format_bytes(static_cast<double>(peak->reserved_bytes)),
                    device_bytes > 0 ? fmt::format(" of the device's {}", format_bytes(device_bytes)) : ""));
  if (!parts.empty()) f.detail = join(parts, "; ") + ".";
  f.advice =
      "Change this only for a larger batch or model. Free or recompute the tensors that these operators keep for "
      "backward (torch.utils.checkpoint), or keep them "
      "in 16 bits. Or work in pieces: a chunked loss, or smaller batches with gradient accumulation.";
  f.evidence = {{"peak_bytes", peak->allocated_bytes},
                {"reserved_bytes", peak->reserved_bytes},
                {"before_trace_bytes", peak->before_bytes},
                {"peak_time_ns", peak->time_ns},
                {"owner", first.place()},
                {"owner_bytes", first.bytes},
                {"owner_blocks", first.blocks}};
  for (size_t i = 0; i < std::min(kOwners, peak->owners.size()); ++i)
    f.where.push_back(owner_text(peak->owners[i], peak->allocated_bytes));
  return f;
}

}  // namespace warplens::findings
