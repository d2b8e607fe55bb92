#include "warplens/program/analysis/steps/repeated_steps.h"

#include <algorithm>
#include <ranges>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/id_index.h"
#include "warplens/program/analysis/links.h"
#include "warplens/trace/profile/recording_cost.h"

namespace warplens::analysis {
namespace {

constexpr size_t kLeastTurns = 3;     // fewer are no loop
constexpr size_t kPeriodsTried = 64;  // distances from a launch in the middle to the next of its name
constexpr int64_t kShortStepNs = 1'000'000;

/// What the host puts on the device, by the time of the call.
struct Launch {
  int64_t start_ns;
  uint32_t work;  // name of the kernel, or kind of the copy
  int64_t done_ns;
};

std::vector<Launch> launches_of(const Profile& p, uint32_t rank) {
  const IdIndex calls(p.calls.correlation.values(), p.ranks.size(),
                      [&](size_t row) { return rank_of_call(p, static_cast<uint32_t>(row)); });
  std::vector<Launch> out;
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    if (!is_device_work(p.device_events.kind[row]) || p.devices.rank[p.device_events.device[row]] != rank) continue;
    const uint32_t call = calls.find(rank, p.device_events.correlation[row]);
    if (call == kNone) continue;
    out.push_back({p.calls.start_ns[call], static_cast<uint32_t>(p.device_events.name[row]),
                   p.device_events.start_ns[row] + p.device_events.duration_ns[row]});
  }
  std::ranges::stable_sort(out, {}, &Launch::start_ns);
  return out;
}

/// The stretch around `middle` in which everything is what came `period` before.
Repetition stretch(const std::vector<uint32_t>& work, size_t middle, size_t period) {
  size_t begin = middle, end = middle;
  while (end + period < work.size() && work[end] == work[end + period]) ++end;
  while (begin > 0 && work[begin - 1] == work[begin - 1 + period]) --begin;
  end += period;
  return {begin, begin + (end - begin) / period * period, period};
}

/// A turn takes what the slower of host and device needs: a host that never waits hands all turns over at once.
int64_t turn_ns(const std::vector<Launch>& launches, const Repetition& found) {
  const Launch &first = launches[found.begin], &last = launches[found.end - 1];
  const auto turns = static_cast<int64_t>((found.end - found.begin) / found.period);
  return std::max<int64_t>(std::max(last.start_ns - first.start_ns, last.done_ns - first.done_ns) / turns, 1);
}

/// Whether the launches may be layers of one pass: operators launch them, and modules are there or were not recorded.
bool may_be_layers(const Profile& p, uint32_t rank) {
  const auto of_rank = [&](uint32_t row) {
    return p.operators.kind[row] == OperatorKind::kOperator && rank_of_operator(p, row) == rank;
  };
  if (std::ranges::none_of(std::views::iota(0u, static_cast<uint32_t>(p.operators.size())), of_rank)) return false;
  bool records_modules = false;
  for (size_t i = 0; i < p.metadata.size(); ++i)
    records_modules |= p.metadata.rank[i] == rank && p.text(p.metadata.key[i]) == kModuleCost;
  return !records_modules || p.python_frames.size() > 0;
}

}  // namespace

Repetition find_repetition(const std::vector<uint32_t>& work) {
  Repetition best;
  const size_t middle = work.size() / 2;
  size_t tried = 0;
  for (size_t at = middle + 1; at < work.size() && tried < kPeriodsTried; ++at) {
    if (work[at] != work[middle]) continue;
    ++tried;
    const Repetition found = stretch(work, middle, at - middle);
    if (found.end - found.begin >= kLeastTurns * found.period && found.end - found.begin > best.end - best.begin)
      best = found;
  }
  return 2 * (best.end - best.begin) > work.size() ? best : Repetition{};
}

std::vector<Step> repeated_steps(const Profile& p, uint32_t rank) {
  if (may_be_layers(p, rank)) return {};
  const std::vector<Launch> launches = launches_of(p, rank);
  std::vector<uint32_t> work;
  for (const Launch& launch : launches) work.push_back(launch.work);
  const Repetition found = find_repetition(work);
  if (found.period == 0) return {};
  const size_t together =
      found.period * static_cast<size_t>(std::max<int64_t>(kShortStepNs / turn_ns(launches, found), 1));
  if (found.end - found.begin < kLeastTurns * together) return {};  // an excerpt
  std::vector<Step> steps;
  for (size_t at = found.begin; at + together <= found.end; at += together) {
    const size_t next = at + together;
    const int64_t end_ns = next < launches.size() ? launches[next].start_ns : p.calls.start_ns.values().back();
    steps.push_back({rank,
                     static_cast<int64_t>(steps.size()) + 1,
                     launches[at].start_ns,
                     std::max(end_ns, launches[next - 1].start_ns + 1),
                     {}});
  }
  return steps;
}

}  // namespace warplens::analysis
