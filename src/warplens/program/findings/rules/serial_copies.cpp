// serial-copies: results copied to the host on the computing stream, which hold up the kernels behind them.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/copies.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> serial_copies(const Context& c) {
  constexpr int64_t kSmallBytes = 256 << 10;
  std::vector<uint8_t> computes(c.program.streams.size(), 0);
  for (const ProgramEvent& event : c.program.events)
    computes[event.stream] |= c.p.device_events.kind[event.row] == DeviceEventKind::kKernel;
  CopyGroup group;
  Change change;
  for (const ProgramEvent& event : c.program.events) {
    if (!c.is_copy(event, CopyKind::kDeviceToHost) || !computes[event.stream] || c.bytes_of(event) < kSmallBytes ||
        is_pageable(c, event))
      continue;
    group.add(c, event);
    change.detached.push_back(event.row);
  }
  if (group.copies.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  describe(c, group, f);
  f.title = fmt::format("copies to the host run between kernels on one stream: {} {}",
                        format_count(c.per_step(static_cast<double>(group.copies.size()))), c.each_step());
  f.detail = fmt::format("They take {} {}; the copy engines could do that while kernels run.",
                         format_ns(static_cast<double>(group.copied_ns) / static_cast<double>(c.program.steps)),
                         c.each_step());
  f.advice =
      "Copy results on a second stream that waits for an event after the kernel, into pinned memory with "
      "non_blocking=True.";
  return f;
}

}  // namespace warplens::findings
