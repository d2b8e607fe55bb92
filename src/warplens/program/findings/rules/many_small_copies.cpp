// many-small-copies: many copies of a few kilobytes, each with its own launch and often its own wait.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/batch_loops.h"
#include "warplens/program/findings/copies.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/served_reads.h"

namespace warplens::findings {

namespace {

constexpr int64_t kSmallCopyBytes = 64 << 10;
constexpr int kFewKernelsBetween = 8;  // kernels between one copy and the next: then they could go together
constexpr size_t kLeastTogether = 4;

/// Reading a value back, which the host waits for: host-sync's business, but where values are read in a row.
bool is_read(const Context& c, const ProgramEvent& event) {
  constexpr int64_t kValueBytes = 64;
  const std::string_view op = c.op_name(c.op_of(event));
  if (op == "aten::_local_scalar_dense" || op == "aten::item" || op == "aten::nonzero") return true;
  return op.empty() && c.is_copy(event, CopyKind::kDeviceToHost) && c.bytes_of(event) <= kValueBytes &&
         c.program.calls[event.call].blocks();
}

/// Small copies between host and device, in groups that could be one copy each.
std::vector<std::vector<const ProgramEvent*>> find_groups(const Context& c) {
  std::vector<std::vector<const ProgramEvent*>> out(1);
  int between = 0;
  const auto reads = [&](size_t i) { return i < c.program.events.size() && is_read(c, c.program.events[i]); };
  for (size_t i = 0; i < c.program.events.size(); ++i) {
    const ProgramEvent& event = c.program.events[i];
    const bool alone = reads(i) && !reads(i + 1) && (i == 0 || !reads(i - 1));
    const bool crosses = c.is_copy(event, CopyKind::kHostToDevice) || c.is_copy(event, CopyKind::kDeviceToHost);
    if (!crosses || c.bytes_of(event) >= kSmallCopyBytes || alone) {
      if (c.p.device_events.kind[event.row] == DeviceEventKind::kKernel && ++between > kFewKernelsBetween &&
          !out.back().empty())
        out.emplace_back();
      continue;
    }
    out.back().push_back(&event);
    between = 0;
  }
  std::erase_if(out, [](const auto& group) { return group.size() < kLeastTogether; });
  return out;
}

}  // namespace

std::optional<Finding> many_small_copies(const Context& c) {
  constexpr double kLeastCopies = 12;  // a step
  CopyGroup group;
  std::vector<const ProgramEvent*> removed, to_device;
  for (const auto& together : find_groups(c)) {
    const ProgramEvent *first_to_device = nullptr, *last_to_host = nullptr;  // one copy each way stays
    for (const ProgramEvent* copy : together) {
      group.add(c, *copy);
      if (!c.is_copy(*copy, CopyKind::kHostToDevice)) last_to_host = copy;
      else if (!first_to_device) first_to_device = copy;
    }
    for (const ProgramEvent* copy : together) {
      if (copy != first_to_device && copy != last_to_host) removed.push_back(copy);
      if (c.is_copy(*copy, CopyKind::kHostToDevice)) to_device.push_back(copy);
    }
  }
  const double count = c.per_step(static_cast<double>(group.copies.size()));
  if (count < kLeastCopies) return std::nullopt;
  Finding f;
  Change change;
  remove_copies(c, removed, change);
  for (const ProgramEvent* copy : removed) {
    if (const uint32_t reader = reader_around(c, c.op_of(*copy)); reader != kNone) remove_served(c, reader, change);
  }
  size_t slices = 0;
  for (const BatchLoop& loop : c.batch_loops()) {
    if (!loop.waits) continue;
    run_as_batch(c, loop, change);
    slices += loop.turns.size();
  }
  stop_waiting(c, to_device, change);  // what the host reads back it waits for
  c.set_saving(f, change);
  describe(c, group, f);
  f.title = fmt::format("{} copies {} of {} each on average", format_count(count), c.each_step(),
                        format_bytes(static_cast<double>(group.bytes) / static_cast<double>(group.copies.size())));
  f.detail = "A small copy takes as long as its launch. The saving assumes one copy instead of several in a row.";
  if (slices) {
    f.detail +=
        fmt::format(" A loop copies values of each of {} slices of a tensor {}: they are computed together, too.",
                    format_count(c.per_step(static_cast<double>(slices))), c.each_step());
  }
  if (!c.communication().empty()) f.detail += " The wait for other ranks before the copies is kept.";
  f.advice =
      "Pack the pieces into one pinned tensor on the host (torch.stack, torch.cat, one preallocated buffer) and copy "
      "that once, non_blocking=True; split it on the device with views. Read values together: one tolist() or cpu().";
  return f;
}

}  // namespace warplens::findings
