// layout-conversion: kernels that only turn tensors between NCHW and NHWC around convolutions.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/slow_operators.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
std::optional<Finding> layout_conversion(const Context& c) {
  constexpr int64_t kAfterLaunchNs = 2000;  // checking for errors, preparing the next
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  NameMemo converts(c.p, converts_layout);
  for (const ProgramEvent& event : c.program.events) {
    if (!converts(c.p.device_events.name[event.row])) continue;
    device_ns += event.duration_ns;
    change.events_removed.push_back(event.row);
    ops.push_back(c.op_of(event) == kNone ? kNone : c.root_of(c.op_of(event)));
    const analysis::ProgramCall& call = c.program.calls[event.call];
    const bool last =
        event.call + 1 == c.program.calls.size();  // the host's work between two calls goes with the first
    change.host_removed.push_back(
        {call.start_ns,
         last ? call.end_ns : std::min(c.program.calls[event.call + 1].start_ns, call.end_ns + kAfterLaunchNs)});
  }
  if (ops.empty()) return std::nullopt;
  int64_t slow_ns = 0;
  for (const SlowOperator& slow : slow_operators(c)) {
    if (!is_slow_by_layout(c, slow)) continue;
    reach(slow, change);
    slow_ns += slow.device_ns;
  }
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("{} kernels {} only change tensor layouts around convolutions: {} of device time",
                        format_count(c.per_step(static_cast<double>(ops.size()))), c.each_step(),
                        format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)));
  f.detail =
      "Tensor-core convolutions work on NHWC. Inputs in NCHW are converted there and back at every "
      "convolution.";
  if (slow_ns > 0)
    f.detail +=
        fmt::format(" Batch norms of NCHW take {} of device time {}, several times the time that their bytes need.",
                    format_ns(c.per_step(static_cast<double>(slow_ns))), c.each_step());
  f.advice = "Use channels_last: model.to(memory_format=torch.channels_last), and the same for the input.";
  f.evidence = {{"kernels_per_step", c.per_step(static_cast<double>(ops.size()))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"batch_norm_ns", slow_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
