// What stands in a file more than once, or comes from more than one process.
#include <bit>
#include <set>
#include <unordered_map>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/trace/profile/checks/checks.h"

namespace warplens::checks {
namespace {

/// Numbers seen before; 0 stands for none and is never seen.
class Seen {
 public:
  explicit Seen(size_t most) : slots_(std::bit_ceil(2 * most + 2)) {}
  bool insert(uint64_t number) {
    const size_t mask = slots_.size() - 1;
    size_t slot = number & mask;
    while (slots_[slot] != 0 && slots_[slot] != number) slot = (slot + 1) & mask;
    const bool is_new = slots_[slot] == 0;
    slots_[slot] = number;
    return is_new;
  }

 private:
  std::vector<uint64_t> slots_;
};

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

/// Device events that are equal in all that tells two apart.
void check_duplicates(const Profile& profile, const RankRows& rows, Integrity& out) {
  const device_events_table& events = profile.device_events;
  Seen seen(events.size() - rows.device_events);
  int64_t duplicates = 0;
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    uint64_t hash = mixed(static_cast<uint64_t>(events.start_ns[i]), static_cast<uint64_t>(events.name[i]));
    hash = mixed(hash, static_cast<uint64_t>(events.duration_ns[i]));
    hash = mixed(hash, static_cast<uint64_t>(events.stream[i]) << 32 | events.device[i]);
    hash = mixed(hash, static_cast<uint64_t>(events.correlation[i]));
    hash = mixed(hash, static_cast<uint64_t>(events.graph_node_id[i]) << 2 | static_cast<uint64_t>(events.kind[i]));
    const bool tells_apart = events.correlation[i] != 0 && events.duration_ns[i] > 0;
    duplicates += tells_apart && !seen.insert(hash | 1);
  }
  if (duplicates > 0)
    out.add("duplicated-events", Severity::kWarning, duplicates,
            fmt::format("{}: the file has {} kernels and copies twice, equal in time, stream and launch",
                        rank_name(profile, rows.rank), duplicates),
            "sums and counts include them twice, busy time once; export the trace again, or merge its parts without "
            "overlap");
}

/// Correlation ids by which calls of more than one process go.
int64_t shared_correlations(const Profile& profile, const RankRows& rows) {
  std::unordered_map<int64_t, StringId> process_of;
  int64_t shared = 0;
  for (size_t i = rows.calls; i < profile.calls.size(); ++i) {
    const std::string_view name = profile.text(profile.calls.name[i]);
    if (!name.starts_with("cu") && !name.starts_with("hip")) continue;  // other runtimes number across processes
    const StringId process = profile.threads.process[profile.calls.thread[i]];
    const auto [found, is_new] = process_of.try_emplace(profile.calls.correlation[i], process);
    shared += found->first != 0 && found->second != process;
  }
  return shared;
}

/// A profiler numbers the launches of what it records. The same numbers in several processes mean that files of several
/// ranks were put together, whose launches and kernels are then mistaken for one another's.
void check_processes(const Profile& profile, const RankRows& rows, Integrity& out) {
  std::vector<bool> known(profile.threads.size());
  std::set<StringId> processes;
  for (size_t i = rows.calls; i < profile.calls.size(); ++i) {
    const uint32_t thread = profile.calls.thread[i];
    if (!known[thread]) processes.insert(profile.threads.process[thread]);
    known[thread] = true;
  }
  const int64_t shared = processes.size() > 1 ? shared_correlations(profile, rows) : 0;
  if (shared > 0)
    out.add(
        "merged-ranks", Severity::kWarning, static_cast<int64_t>(processes.size()),
        fmt::format("{}: {} API calls of {} processes share correlation ids: recordings of several ranks were merged",
                    rank_name(profile, rows.rank), shared, processes.size()),
        "give the ranks' own files instead: `warplens summary rank0.json rank1.json`");
}

}  // namespace

void check_doubled(const Profile& profile, const RankRows& rows, Integrity& out) {
  check_duplicates(profile, rows, out);
  check_processes(profile, rows, out);
}

}  // namespace warplens::checks
