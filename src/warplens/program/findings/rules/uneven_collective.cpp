// uneven-collective, of a rank whose peers were not given: collectives that take far longer than the shortest of their
// kind, or than a small message can take.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/timeline/collective_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

using analysis::CollectiveWork;

constexpr size_t kEnoughToTell = 8;       // of one kind and size: the shortest of them waited for nobody
constexpr double kOverShortest = 1.5;     // kernels beside a collective explain that much
constexpr int64_t kSmallBytes = 1 << 20;  // such a message takes little more than its start over any link
constexpr int64_t kSmallNs = 300'000;     // the most for that: what is beyond is waiting, be it seen once

struct Waiting {
  Change change;
  std::vector<uint32_t> ops;
  int64_t total_ns = 0, excess_ns = 0;
  const CollectiveWork* worst = nullptr;
  int64_t worst_excess_ns = 0;
};

/// The longest that a collective of this work takes without waiting for other ranks, or 0 where that is not known.
int64_t transfer_ns(const CollectiveWork& work) {
  if (work.bytes <= 0 || work.group_size == 1) return 0;
  const bool small = work.bytes < kSmallBytes;
  if (work.events.size() < kEnoughToTell) return small ? kSmallNs : 0;
  return small ? std::min(kSmallNs, work.best_ns) : work.best_ns;
}

void add(const Context& c, CollectiveWork& work, Waiting& out) {
  work.best_ns = transfer_ns(work);
  if (work.best_ns == 0) return;
  const auto most = static_cast<int64_t>(kOverShortest * static_cast<double>(work.best_ns));
  int64_t excess_ns = 0;
  for (const uint32_t row : work.events) {
    const int64_t duration = c.p.device_events.duration_ns[row];
    out.total_ns += duration;
    if (duration <= most) continue;
    excess_ns += duration - work.best_ns;
    out.change.event_duration.emplace_back(row, work.best_ns);
    out.ops.push_back(c.joined.links.event_operator[row]);
  }
  out.excess_ns += excess_ns;
  if (excess_ns > out.worst_excess_ns) {
    out.worst = &work;
    out.worst_excess_ns = excess_ns;
  }
}

}  // namespace

std::optional<Finding> uneven_collective(const Context& c) {
  constexpr double kLeastExcess = 0.1;                                         // of a step, on the device
  if (c.p.ranks.size() > 1 || c.communication().empty()) return std::nullopt;  // rank_findings() knows better
  std::vector<CollectiveWork> all = analysis::collective_work(c.p, c.joined.operators, c.joined.links);
  Waiting waiting;
  for (CollectiveWork& work : all) {
    std::erase_if(work.events, [&](uint32_t row) { return c.program.event_of_row[row] == kNone; });
    if (!work.events.empty()) add(c, work, waiting);
  }
  if (!waiting.worst) return std::nullopt;
  Finding f;
  c.set_saving(f, waiting.change);
  // Where this rank's own host is the limit, peers in time save less than the waiting.
  if (c.per_step(static_cast<double>(waiting.excess_ns)) < kLeastExcess * static_cast<double>(c.step_ns))
    return std::nullopt;
  if (f.level == Level::kInfo) f.level = Level::kWarn;
  const CollectiveWork& worst = *waiting.worst;
  const auto each = [&](int64_t ns) { return format_ns(c.per_step(static_cast<double>(ns))); };
  f.title = fmt::format("collectives wait for other ranks: {} of their {} {}", each(waiting.excess_ns),
                        each(waiting.total_ns), c.each_step());
  f.detail = fmt::format(
      "{} {} of {} take {} on average, but the transfer needs only {}. The rest is a wait for later ranks, or for a "
      "link that others use.",
      worst.events.size(), worst.name, format_bytes(static_cast<double>(worst.bytes)),
      format_ns(static_cast<double>(worst.total_ns) / static_cast<double>(worst.events.size())),
      format_ns(static_cast<double>(worst.best_ns)));
  f.advice =
      "Record all ranks of the same steps: `warplens ranks` names the late rank and its host's work. The cause is "
      "on that rank, not on this one: its input, launches, load or clock, or batches of unequal size.";
  f.evidence = {
      {"waiting_ns", waiting.excess_ns / static_cast<int64_t>(c.program.steps)},
      {"communication_ns", waiting.total_ns / static_cast<int64_t>(c.program.steps)},
      {"collectives", static_cast<int64_t>(waiting.ops.size())},
      {"concerned_fraction", c.per_step(static_cast<double>(waiting.excess_ns)) / static_cast<double>(c.step_ns)}};
  f.where = c.places(waiting.ops);
  return f;
}

}  // namespace warplens::findings
