// Launches and what they put on the device: one without the other, and clocks that disagree.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/profile/checks/correlations.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::checks {
namespace {

bool ran(DeviceEventKind kind) { return kind != DeviceEventKind::kRange; }

/// Work without its launch. What stands before all launched work of its stream was launched before the recording began,
/// which is how every recording of a busy program starts; what comes later has lost its launch.
void check_unlaunched(const Profile& profile, const RankRows& rows, const std::vector<uint32_t>& call_of,
                      Integrity& out) {
  const device_events_table& events = profile.device_events;
  NameMemo unified(profile, [](std::string_view name) { return name.starts_with("Memcpy Unified"); });
  std::map<std::pair<uint32_t, int64_t>, int64_t> first_launched_ns;
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    if (!ran(events.kind[i]) || call_of[i - rows.device_events] == kNone) continue;
    auto [found, is_new] = first_launched_ns.try_emplace({events.device[i], events.stream[i]}, events.start_ns[i]);
    found->second = std::min(found->second, events.start_ns[i]);
  }
  int64_t before = 0, lost = 0, first_lost_ns = INT64_MAX;
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    if (!ran(events.kind[i]) || call_of[i - rows.device_events] != kNone) continue;
    if (unified(events.name[i])) continue;  // pages of unified memory move when they are touched: nobody launches that
    const auto found = first_launched_ns.find({events.device[i], events.stream[i]});
    if (found == first_launched_ns.end() || events.start_ns[i] < found->second) {
      ++before;
    } else {
      ++lost;
      first_lost_ns = std::min(first_lost_ns, events.start_ns[i]);
    }
  }
  const bool no_calls_at_all = profile.calls.size() == rows.calls;
  const bool none_launched = first_launched_ns.empty();
  if (before > 0)
    out.add("launched-before-recording", Severity::kInfo, before,
            fmt::format("{}: {} kernels and copies{} {}", rank_name(profile, rows.rank), before,
                        none_launched ? "" : " at the beginning",
                        no_calls_at_all ? "have no launches, because no API calls were recorded"
                        : none_launched ? "have no launches, because the calls do not name their work"
                                        : "were launched before the recording began"),
            "they cannot be charged to operators; record one more step, or synchronize before the recording");
  if (lost > 0)
    out.add("kernels-without-launch", Severity::kWarning, lost,
            fmt::format("{}: {} kernels and copies inside the recording have no launch, the first {} after its start",
                        rank_name(profile, rows.rank), lost,
                        format_ns(static_cast<double>(first_lost_ns - profile.ranks.window_start_ns[rows.rank]))),
            "they are not charged to operators; record fewer steps, or without stacks and shapes");
}

enum class Launches : uint8_t { kNothing, kKernel, kGraph, kCopy };

/// What an API call puts on the device, by its name.
Launches launches(std::string_view name) {
  if (contains(name, "Attribute") || contains(name, "HostFunc")) return Launches::kNothing;
  if (contains(name, "GraphLaunch")) return Launches::kGraph;
  if (contains(name, "Launch")) return Launches::kKernel;
  if (contains(name, "Memcpy") || contains(name, "Memset")) return Launches::kCopy;
  return Launches::kNothing;
}

/// Times in which some thread captured a graph (CUDA or HIP): its launches, and those of threads that joined it, run
/// nothing.
std::vector<std::pair<int64_t, int64_t>> captures(const Profile& profile, const RankRows& rows) {
  std::vector<std::pair<int64_t, int64_t>> out;
  std::map<uint32_t, size_t> open;  // by thread
  const calls_table& calls = profile.calls;
  NameMemo begins(profile, [](std::string_view name) { return contains(name, "StreamBeginCapture"); });
  NameMemo ends(profile, [](std::string_view name) { return contains(name, "StreamEndCapture"); });
  for (size_t i = rows.calls; i < calls.size(); ++i) {
    if (begins(calls.name[i])) {
      open[calls.thread[i]] = out.size();
      out.emplace_back(calls.start_ns[i], INT64_MAX);
    } else if (const auto found = open.find(calls.thread[i]); found != open.end() && ends(calls.name[i])) {
      out[found->second].second = calls.start_ns[i];
      open.erase(found);
    }
  }
  return out;
}

/// A recording of CUPTI's range profiler: counters instead of kernels.
bool counts_instead(const Profile& profile) {
  const StringId category = profile.strings.find("cuda_profiler_range");
  const auto& categories = profile.other_events.category;
  return category != StringId::kEmpty && std::find(categories.begin(), categories.end(), category) != categories.end();
}

/// Launches that put nothing on the device. Copies of nothing and captured launches are normal; behind the last launch
/// that did, the recording stopped before the work ran; elsewhere records were lost.
void check_fruitless(const Profile& profile, const RankRows& rows, const std::vector<uint32_t>& call_of,
                     Integrity& out) {
  const calls_table& calls = profile.calls;
  std::vector<bool> fruitful(calls.size() - rows.calls);
  int64_t last_fruitful_ns = INT64_MIN;
  for (const uint32_t call : call_of) {
    if (call == kNone) continue;
    fruitful[call - rows.calls] = true;
    last_fruitful_ns = std::max(last_fruitful_ns, calls.start_ns[call]);
  }
  const auto captured = captures(profile, rows);
  NameMemo kind(profile, launches);
  int64_t tail = 0, dropped = 0, copies = 0, fruitful_kernels = 0, first_dropped_ns = INT64_MAX;
  for (size_t i = rows.calls; i < calls.size(); ++i) {
    const Launches what = kind(calls.name[i]);
    copies += what == Launches::kCopy;
    if (what != Launches::kKernel && what != Launches::kGraph) continue;
    fruitful_kernels += fruitful[i - rows.calls];
    if (fruitful[i - rows.calls] || calls.correlation[i] == 0) continue;
    const auto covers = [&](const auto& span) {
      return span.first <= calls.start_ns[i] && calls.start_ns[i] <= span.second;
    };
    if (std::any_of(captured.begin(), captured.end(), covers)) continue;
    calls.start_ns[i] > last_fruitful_ns ? ++tail : ++dropped;
    if (calls.start_ns[i] <= last_fruitful_ns) first_dropped_ns = std::min(first_dropped_ns, calls.start_ns[i]);
  }
  const std::string name = rank_name(profile, rows.rank);
  if (fruitful_kernels == 0 && tail > 0 && counts_instead(profile)) return;
  const auto& kinds = profile.device_events.kind;
  const bool idle = std::none_of(kinds.begin() + static_cast<std::ptrdiff_t>(rows.device_events), kinds.end(), ran);
  if (fruitful_kernels == 0 && (tail > 0 || (idle && copies > 0))) {
    out.add("no-device-activity", Severity::kError, tail > 0 ? tail : copies,
            fmt::format("{}: {}, but no device work was recorded", name,
                        tail > 0 ? "kernels were launched" : "the program copied to or from a device"),
            "record with ProfilerActivity.CUDA or nsys --trace=cuda, and where the driver lets CUPTI trace");
    return;
  }
  if (tail > 0)
    out.add("tail-lost", Severity::kWarning, tail,
            fmt::format("{}: the kernels of the last {} launches were not recorded", name, tail),
            "call torch.cuda.synchronize() before the recording ends");
  if (dropped > 0)
    out.add("dropped-records", 10 * dropped > fruitful_kernels ? Severity::kError : Severity::kWarning, dropped,
            fmt::format("{}: {} launches inside the recording have no kernel: records were dropped, the first {} after "
                        "its start",
                        name, dropped,
                        format_ns(static_cast<double>(first_dropped_ns - profile.ranks.window_start_ns[rows.rank]))),
            "device times are too low, because these kernels are missing; record fewer steps at once");
}

/// CUPTI's conversion between the clocks is good to about a microsecond.
Severity severity_of_clocks(int64_t apart_ns) {
  return apart_ns <= 1000 ? Severity::kInfo : apart_ns <= 1'000'000 ? Severity::kWarning : Severity::kError;
}

constexpr const char* kClocksAdvice =
    "times within the host and within the device are correct; times between them "
    "are not";

/// A kernel cannot begin before its launch does: by how much it seems to, the device's clock is behind at least.
void check_clock_behind(const Profile& profile, const RankRows& rows, const std::vector<uint32_t>& call_of,
                        Integrity& out) {
  const device_events_table& events = profile.device_events;
  int64_t early = 0, most_ns = 0, matched = 0;
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    const uint32_t call = call_of[i - rows.device_events];
    if (call == kNone || !ran(events.kind[i])) continue;
    ++matched;
    const int64_t lead_ns = profile.calls.start_ns[call] - events.start_ns[i];
    early += lead_ns > 0;
    most_ns = std::max(most_ns, lead_ns);
  }
  if (early == 0) return;
  out.add("clocks-apart", severity_of_clocks(most_ns), early,
          fmt::format(
              "{}: {} of {} kernels begin before their launch: the device's clock is behind the host's by {} or more",
              rank_name(profile, rows.rank), early, matched, format_ns(static_cast<double>(most_ns))),
          kClocksAdvice);
}

/// A device-wide synchronization returns after all that was launched before it: by how much later than that something
/// seems to end, the device's clock is ahead at least. Told only where a rank has one device: others are not waited
/// for.
void check_clock_ahead(const Profile& profile, const RankRows& rows, const std::vector<uint32_t>& call_of,
                       Integrity& out) {
  const device_events_table& events = profile.device_events;
  const calls_table& calls = profile.calls;
  if (std::count(profile.devices.rank.begin(), profile.devices.rank.end(), rows.rank) != 1) return;
  std::vector<uint32_t> syncs;
  for (size_t i = rows.calls; i < calls.size(); ++i) {
    if (profile.text(calls.name[i]).ends_with("DeviceSynchronize")) syncs.push_back(static_cast<uint32_t>(i));
  }
  if (syncs.empty()) return;
  std::vector<std::pair<int64_t, int64_t>> launched;  // (end of the launch, end of its work)
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    const uint32_t call = call_of[i - rows.device_events];
    if (call != kNone && ran(events.kind[i]))
      launched.emplace_back(calls.start_ns[call] + calls.duration_ns[call], events.start_ns[i] + events.duration_ns[i]);
  }
  const auto begins_before = [&](uint32_t a, uint32_t b) { return calls.start_ns[a] < calls.start_ns[b]; };
  std::sort(syncs.begin(), syncs.end(), begins_before);
  std::sort(launched.begin(), launched.end());
  int64_t late = 0, most_ns = 0, last_end_ns = INT64_MIN;
  auto next = launched.begin();
  for (const uint32_t sync : syncs) {
    for (; next != launched.end() && next->first <= calls.start_ns[sync]; ++next)
      last_end_ns = std::max(last_end_ns, next->second);
    const int64_t sync_end_ns = calls.start_ns[sync] + calls.duration_ns[sync];
    late += last_end_ns > sync_end_ns;
    if (last_end_ns > sync_end_ns) most_ns = std::max(most_ns, last_end_ns - sync_end_ns);
  }
  if (late == 0) return;
  out.add("clock-ahead", severity_of_clocks(most_ns), late,
          fmt::format("{}: {} of {} device synchronizations return before the awaited work ends: the device's clock "
                      "is ahead of the host's by {} or more",
                      rank_name(profile, rows.rank), late, syncs.size(), format_ns(static_cast<double>(most_ns))),
          kClocksAdvice);
}

}  // namespace

void check_launches(const Profile& profile, const RankRows& rows, Integrity& out) {
  const device_events_table& events = profile.device_events;
  const RowsById calls(profile.calls.correlation, rows.calls);
  std::vector<uint32_t> call_of(events.size() - rows.device_events, kNone);
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    if (ran(events.kind[i])) call_of[i - rows.device_events] = calls.find(events.correlation[i]);
  }
  check_unlaunched(profile, rows, call_of, out);
  check_fruitless(profile, rows, call_of, out);
  check_clock_behind(profile, rows, call_of, out);
  check_clock_ahead(profile, rows, call_of, out);
}

}  // namespace warplens::checks
