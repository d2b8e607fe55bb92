// exposed-copy: copies to the device during which no kernel runs, though the host did not have to wait for them.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/copies.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> exposed_copy(const Context& c) {
  constexpr int64_t kSmallBytes = 1 << 20;
  std::vector<analysis::Span> kernels, copying;
  CopyGroup group;
  for (const ProgramEvent& event : c.program.events) {
    const analysis::Span span{c.start_of(event), c.start_of(event) + event.duration_ns};
    if (c.p.device_events.kind[event.row] == DeviceEventKind::kKernel) kernels.push_back(span);
    if (!c.is_copy(event, CopyKind::kHostToDevice) || c.bytes_of(event) < kSmallBytes || is_pageable(c, event))
      continue;
    group.add(c, event);
    copying.push_back(span);
  }
  const int64_t exposed = analysis::length_ns(analysis::subtract(analysis::unite(std::move(copying)),
                                                                 analysis::unite(std::move(kernels)))) /
                          static_cast<int64_t>(c.program.steps);
  if (static_cast<double>(exposed) < kMinorSaving * static_cast<double>(c.step_ns)) return std::nullopt;
  Change change;
  for (const ProgramEvent* copy : group.copies) change.prefetched.push_back(copy->row);
  // Several copies pipeline within their step; a single one can only run ahead during the step before.
  change.prefetch_across_steps = c.per_step(static_cast<double>(group.copies.size())) < 2;
  stop_waiting(c, group.copies, change);
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  describe(c, group, f);
  f.evidence.emplace_back("exposed_ns", exposed);
  f.title = fmt::format("copies to the device take {} {} while no kernel runs", format_ns(static_cast<double>(exposed)),
                        c.each_step());
  f.detail = fmt::format("{} {} at {:.1f} GB/s, on the stream that also computes, or with an immediate wait.",
                         format_bytes(c.per_step(static_cast<double>(group.bytes))), c.each_step(),
                         static_cast<double>(group.bytes) / static_cast<double>(std::max<int64_t>(group.copied_ns, 1)));
  f.advice =
      "Copy the next piece on a second stream during the computation: use pinned memory, non_blocking=True, two "
      "buffers, and an event in each direction.";
  return f;
}

}  // namespace warplens::findings
