// Times that cannot be: far outside the recording, or longer than it.
#include <algorithm>

#include "warplens/base/middle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/trace/profile/checks/checks.h"

namespace warplens::checks {
namespace {

struct Odd {
  int64_t absurd = 0, empty_kernels = 0;
};

/// The middle start time of the rows: where the recording is, whatever a few of them say.
int64_t middle_start(const Column<int64_t>& starts, size_t first) {
  std::vector<int64_t> sample;
  const size_t stride = std::max<size_t>(1, (starts.size() - first) / 1024);
  for (size_t i = first; i < starts.size(); i += stride) sample.push_back(starts[i]);
  return middle_of(std::move(sample));
}

int64_t count_absurd(const Column<int64_t>& starts, const Column<int64_t>& durations, size_t first) {
  constexpr int64_t kDay = int64_t{86'400} * 1'000'000'000;
  if (starts.size() == first) return 0;
  const int64_t middle = middle_start(starts, first);
  int64_t absurd = 0;
  for (size_t i = first; i < starts.size(); ++i) {
    const int64_t away = static_cast<int64_t>(static_cast<uint64_t>(starts[i]) - static_cast<uint64_t>(middle));
    absurd += away > kDay || away < -kDay || durations[i] > kDay;
  }
  return absurd;
}

}  // namespace

void check_times(const Profile& profile, const RankRows& rows, Integrity& out) {
  const device_events_table& events = profile.device_events;
  const int64_t host = count_absurd(profile.operators.start_ns, profile.operators.duration_ns, rows.operators) +
                       count_absurd(profile.calls.start_ns, profile.calls.duration_ns, rows.calls);
  const int64_t device = count_absurd(events.start_ns, events.duration_ns, rows.device_events);
  if (host + device > 0)
    out.add("absurd-times", Severity::kError, host + device,
            fmt::format("{}: {} events of the host and {} of the device are more than a day away from the rest, or "
                        "last that long",
                        rank_name(profile, rows.rank), host, device),
            "they make spans and idle times meaningless; cut them out by time with `warplens export`");
  int64_t empty = 0;
  for (size_t i = rows.device_events; i < events.size(); ++i)
    empty += events.kind[i] == DeviceEventKind::kKernel && events.duration_ns[i] == 0;
  if (empty > 0)
    out.add(
        "kernels-without-duration", Severity::kWarning, empty,
        fmt::format("{}: {} kernels lasted 0 ns: their times were not recorded", rank_name(profile, rows.rank), empty),
        "device times are too low, because these kernels count as 0 ns");
}

}  // namespace warplens::checks
