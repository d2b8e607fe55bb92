#include "warplens/program/analysis/summary/busy.h"

#include <algorithm>
#include <map>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/causes.h"

namespace warplens::analysis {
namespace {

bool starts_before(const Span& a, const Span& b) { return a.start_ns < b.start_ns; }

TimeSet unite_pair(const TimeSet& a, const TimeSet& b) {
  std::vector<Span> both(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin(), starts_before);
  return unite(std::move(both));
}

/// Pair by pair: a file may name as many streams as it has events.
TimeSet unite_all(std::vector<TimeSet> sets) {
  if (sets.empty()) return {};
  for (; sets.size() > 1; sets.resize((sets.size() + 1) / 2)) {
    for (size_t i = 0; i + 1 < sets.size(); i += 2) sets[i / 2] = unite_pair(sets[i], sets[i + 1]);
    if (sets.size() % 2 != 0) sets[sets.size() / 2] = std::move(sets.back());
  }
  return std::move(sets[0]);
}

}  // namespace

std::vector<TimeSet> busy_times(const Profile& profile) {
  const TimedScope timed("busy time");
  const auto& t = profile.device_events;
  std::vector<std::map<int64_t, std::vector<Span>>> streams(profile.devices.size());
  std::vector<Span>* spans = nullptr;
  uint32_t device = kNone;
  int64_t stream = 0;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (!is_device_work(t.kind[row])) continue;
    if (!spans || t.device[row] != device || t.stream[row] != stream) {
      device = t.device[row];
      stream = t.stream[row];
      spans = &streams[device][stream];
    }
    spans->push_back({t.start_ns[row], t.start_ns[row] + t.duration_ns[row]});
  }
  std::vector<TimeSet> busy(streams.size());
  for (size_t d = 0; d < busy.size(); ++d) {
    std::vector<TimeSet> sets;
    for (auto& [id, of_stream] : streams[d]) sets.push_back(unite(std::move(of_stream)));
    busy[d] = unite_all(std::move(sets));
  }
  return busy;
}

std::vector<double> busy_shares(const TimeSet& busy, int64_t start_ns, int64_t end_ns, size_t slots) {
  std::vector<double> shares(slots, 0);
  if (end_ns <= start_ns || slots == 0) return shares;
  const double width = static_cast<double>(end_ns - start_ns) / static_cast<double>(slots);
  const auto slot_of = [&](int64_t t) {
    return std::min(slots - 1, static_cast<size_t>(static_cast<double>(t - start_ns) / width));
  };
  for (const Span& span : busy) {
    const int64_t from = std::max(span.start_ns, start_ns), to = std::min(span.end_ns, end_ns);
    if (from >= to) continue;
    for (size_t slot = slot_of(from); slot <= slot_of(to); ++slot) {
      const double left = static_cast<double>(start_ns) + width * static_cast<double>(slot);
      const double part = std::min(static_cast<double>(to), left + width) - std::max(static_cast<double>(from), left);
      shares[slot] += std::max(0.0, part) / width;
    }
  }
  return shares;
}

}  // namespace warplens::analysis
