// pageable-copy: copies from or to pageable host memory, which the driver stages and the host waits for.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/copies.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> pageable_copy(const Context& c) {
  constexpr int64_t kSmallBytes = 64 << 10;  // smaller ones are many-small-copies' business
  CopyGroup group;
  Change change;
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.kind[event.row] != DeviceEventKind::kCopy || !is_pageable(c, event) ||
        c.bytes_of(event) < kSmallBytes)
      continue;
    group.add(c, event);
    const auto pinned_ns = static_cast<int64_t>(static_cast<double>(c.bytes_of(event)) / c.hardware.link_bytes_per_ns);
    change.event_duration.emplace_back(event.row, std::min(event.duration_ns, pinned_ns));
  }
  if (group.copies.empty()) return std::nullopt;
  stop_waiting(c, group.copies, change);
  Finding f;
  c.set_saving(f, change);
  describe(c, group, f);
  f.evidence.emplace_back("pinned_gigabytes_per_second", c.hardware.link_bytes_per_ns);
  f.title = fmt::format("{} {} through pageable memory: {} at {:.1f} GB/s",
                        counted(c.per_step(static_cast<double>(group.copies.size())), "copy", "copies"), c.each_step(),
                        format_bytes(c.per_step(static_cast<double>(group.bytes))),
                        static_cast<double>(group.bytes) / static_cast<double>(std::max<int64_t>(group.copied_ns, 1)));
  f.detail = fmt::format("Pinned memory reaches about {:.0f} GB/s here, and the host does not wait for the copy.",
                         c.hardware.link_bytes_per_ns);
  f.advice =
      "Pin the host memory (DataLoader(pin_memory=True), tensor.pin_memory() once, torch.empty(..., pin_memory=True)) "
      "and copy with non_blocking=True.";
  return f;
}

}  // namespace warplens::findings
