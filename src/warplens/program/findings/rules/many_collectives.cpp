// many-collectives: one small collective a tensor, one after the other, where a few large ones would do.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/ranks/waiting.h"
#include "warplens/program/analysis/timeline/collective_work.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr double kLeast = 24;               // a step
constexpr int64_t kSmallBytes = 1 << 20;    // on average; larger ones are worth their start
constexpr int64_t kSmallNs = 400'000;       // on average, where sizes are not recorded
constexpr int64_t kBucketBytes = 25 << 20;  // DistributedDataParallel's bucket
constexpr int kFewBetween = 8;              // kernels between one and the next: scaling, casts, copies into place

/// Collectives which only pointwise work separates from the one before: their data could have gone with it.
std::vector<const ProgramEvent*> in_a_row(const Context& c) {
  std::vector<const ProgramEvent*> out, run;
  int between = 0;
  const auto close = [&] {
    if (run.size() > 2) out.insert(out.end(), run.begin(), run.end());
    run.clear();
  };
  for (const ProgramEvent& event : c.program.events) {
    if (c.is_communication(event)) {
      run.push_back(&event);
      between = 0;
      continue;
    }
    if (c.p.device_events.kind[event.row] != DeviceEventKind::kKernel) continue;
    const std::string_view op = c.op_name(c.op_of(event));
    if (!is_pointwise(op) && op != "aten::fill_" && op != "aten::cat" && op != "aten::zero_") between = kFewBetween;
    if (++between > kFewBetween) close();
  }
  close();
  return out;
}

struct Sizes {
  int64_t bytes = 0, device_ns = 0, best_ns = INT64_MAX;
  double bus_factor = 1;
  bool known = true;
};

Sizes sizes_of(const Context& c, const std::vector<const ProgramEvent*>& events) {
  std::vector<int64_t> bytes(c.p.device_events.size(), 0);
  Sizes out;
  for (const auto& work : analysis::collective_work(c.p, c.joined.operators, c.joined.links)) {
    for (const uint32_t row : work.events) {
      bytes[row] = work.bytes;
      out.bus_factor = analysis::bus_factor(work.name, work.group_size);
    }
  }
  for (const ProgramEvent* event : events) {
    out.bytes += bytes[event->row];
    out.device_ns += event->duration_ns;
    out.known &= bytes[event->row] > 0;
    out.best_ns = std::min(out.best_ns, event->duration_ns);
  }
  return out;
}

}  // namespace

std::optional<Finding> many_collectives(const Context& c) {
  if (c.communication().empty()) return std::nullopt;
  const std::vector<const ProgramEvent*> events = in_a_row(c);
  const double each_step = c.per_step(static_cast<double>(events.size()));
  if (each_step < kLeast) return std::nullopt;
  const Sizes sizes = sizes_of(c, events);
  const auto count = static_cast<int64_t>(events.size());
  if (sizes.known ? sizes.bytes / count > kSmallBytes : sizes.device_ns / count > kSmallNs) return std::nullopt;
  // A bucket takes its bytes at the usual rate; without sizes, half of what exceeds the shortest one is data.
  const double usual =
      analysis::usual_bus_gbs(c.p.text(c.p.devices.name[c.device]), c.p.ranks.world_size[c.program.rank]);
  const double data_ns = sizes.known ? static_cast<double>(sizes.bytes) * sizes.bus_factor / usual
                                     : static_cast<double>(sizes.device_ns - sizes.best_ns * count) / 2;
  const int64_t steps = static_cast<int64_t>(c.program.steps),
                buckets = std::max<int64_t>(1, sizes.bytes / steps / kBucketBytes) * steps;
  const int64_t each_ns = std::min(static_cast<int64_t>(data_ns) / buckets + sizes.best_ns, sizes.device_ns / buckets);
  Change change;
  std::vector<uint32_t> ops;
  for (int64_t i = 0; i < count; ++i) {
    const ProgramEvent& event = *events[static_cast<size_t>(i)];
    const uint32_t op = c.op_of(event);
    ops.push_back(op == kNone ? kNone : c.root_of(op));
    if (i % std::max<int64_t>(1, count / buckets) == 0) {
      change.event_duration.emplace_back(event.row, each_ns);
      continue;
    }
    change.events_removed.push_back(event.row);
    if (ops.back() != kNone) change.host_removed.push_back(c.span_of(op));
  }
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  const std::string size =
      sizes.known ? " of " + format_bytes(static_cast<double>(sizes.bytes) / static_cast<double>(count)) : "";
  f.title = fmt::format("{} collectives{} {} run one after the other, {} on average: one for each tensor",
                        format_count(each_step), size, c.each_step(),
                        format_ns(static_cast<double>(sizes.device_ns) / static_cast<double>(count)));
  f.detail = fmt::format(
      "They take {} of device time {}, most of it for starting each one. The saving assumes the same data in {} {}.",
      format_ns(static_cast<double>(sizes.device_ns) / static_cast<double>(steps)), c.each_step(),
      buckets == steps ? "one" : fmt::format("{} buckets", buckets / steps), buckets == steps ? "bucket" : "each step");
  f.advice =
      "Bucket them: DistributedDataParallel does it for gradients (bucket_cap_mb=25); by hand, flatten the tensors "
      "(torch._utils._flatten_dense_tensors), reduce them as one and copy them back, or use "
      "torch.distributed.all_reduce_coalesced.";
  f.evidence = {{"collectives_per_step", each_step},
                {"device_ns", sizes.device_ns / steps},
                {"bytes_per_step", sizes.known ? Cell{sizes.bytes / steps} : Cell{}},
                {"buckets_per_step", buckets / steps}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
