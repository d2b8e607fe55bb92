// many-small-copies: many copies of a few kilobytes, each with its own launch and often its own wait.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/copies.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> many_small_copies(const Context& c) {
  constexpr double kLeastCopies = 12;  // a step
  constexpr int64_t kSmallBytes = 64 << 10;
  CopyGroup group;
  for (const ProgramEvent& event : c.program.events) {
    const bool crosses = c.is_copy(event, CopyKind::kHostToDevice) || c.is_copy(event, CopyKind::kDeviceToHost);
    if (!crosses || c.bytes_of(event) >= kSmallBytes) continue;
    // Reading one value back is host-sync's business.
    const std::string_view op = c.op_name(c.op_of(event));
    if (op == "aten::_local_scalar_dense" || op == "aten::item" || op == "aten::nonzero") continue;
    group.add(c, event);
  }
  const double count = c.per_step(static_cast<double>(group.copies.size()));
  if (count < kLeastCopies) return std::nullopt;
  std::vector<const ProgramEvent*> removed;
  const size_t kept_every = static_cast<size_t>(count);  // one copy a step stays
  for (size_t i = 0; i < group.copies.size(); ++i)
    if (i % kept_every) removed.push_back(group.copies[i]);
  Finding f;
  Change change;
  remove_copies(c, removed, change);
  stop_waiting(c, group.copies, change);
  c.set_saving(f, change);
  describe(c, group, f);
  f.title = fmt::format("{} copies {} of {} each on average", format_count(count), c.each_step(),
                        format_bytes(static_cast<double>(group.bytes) / static_cast<double>(group.copies.size())));
  f.detail =
      "Such a copy costs its launch, microseconds, whatever its size. The saving is one copy a step in their place.";
  f.advice =
      "Pack the pieces into one pinned tensor on the host (torch.stack, torch.cat, one preallocated buffer) and copy "
      "that once, non_blocking=True; "
      "split it on the device with views.";
  return f;
}

}  // namespace warplens::findings
