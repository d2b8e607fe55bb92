// Recordings of several ranks that a tool has put into one file, as TraceLens's TraceFusion does: each process that
// launches work becomes a rank of its own.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/trace/readers/kineto/rank_builder.h"

namespace warplens::kineto {
namespace {

constexpr uint32_t kShared = UINT32_MAX;  // an id that two processes use

/// Which process made each call of a file, by correlation id.
struct Launchers {
  std::vector<StringId> processes;                   // in the order of the file
  std::unordered_map<int64_t, uint32_t> process_of;  // correlation -> index into processes, or kShared
  uint32_t of(int64_t correlation) const {
    const auto found = process_of.find(correlation);
    return correlation == 0 || found == process_of.end() ? kShared : found->second;
  }
};

Launchers find_launchers(const Profile& p, size_t first_call) {
  Launchers out;
  std::map<StringId, uint32_t> number;
  for (size_t row = first_call; row < p.calls.size(); ++row) {
    const StringId process = p.threads.process[p.calls.thread[row]];
    const auto [at, is_new] = number.try_emplace(process, static_cast<uint32_t>(out.processes.size()));
    if (is_new) out.processes.push_back(process);
    const auto [known, first] = out.process_of.try_emplace(p.calls.correlation[row], at->second);
    if (!first && known->second != at->second) known->second = kShared;
  }
  return out;
}

uint32_t copy_device(devices_table& devices, uint32_t row) {
  const auto copy = static_cast<uint32_t>(devices.size());
  for_each_column(devices, [&](std::string_view, auto& column, const char*) { column.push_back(column[row]); });
  return copy;
}

/// Gives each process its devices: the first that uses one keeps its row, others get a copy.
class DeviceOwners {
 public:
  DeviceOwners(Profile& profile, uint32_t rank, uint32_t first_new) : p_(profile), rank_(rank), first_new_(first_new) {}

  uint32_t rank_of(uint32_t process) const { return process == 0 ? rank_ : first_new_ + process - 1; }

  uint32_t row(uint32_t device, uint32_t process) {
    const auto [at, is_new] = rows_.try_emplace({device, process}, device);
    if (!is_new) return at->second;
    if (!taken_.insert(device).second) at->second = copy_device(p_.devices, device);
    p_.devices.rank.at(at->second) = rank_of(process);
    return at->second;
  }

 private:
  Profile& p_;
  uint32_t rank_, first_new_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> rows_;
  std::set<uint32_t> taken_;
};

}  // namespace

void RankBuilder::split_ranks() {
  Profile& p = profile_;
  const Launchers launchers = find_launchers(p, first_rows_["calls"]);
  std::set<uint32_t> working, hosts;  // processes that launch device work, that have operators
  for (size_t row = first_rows_["device_events"]; row < p.device_events.size(); ++row)
    working.insert(launchers.of(p.device_events.correlation[row]));
  working.erase(kShared);
  for (size_t row = first_rows_["operators"]; row < p.operators.size(); ++row) {
    const auto at =
        std::find(launchers.processes.begin(), launchers.processes.end(), p.threads.process[p.operators.thread[row]]);
    if (at != launchers.processes.end()) hosts.insert(static_cast<uint32_t>(at - launchers.processes.begin()));
  }
  const bool each_works = working.size() == launchers.processes.size() && hosts.size() == launchers.processes.size();
  if (launchers.processes.size() < 2 || !each_works) return;
  const auto count = static_cast<uint32_t>(launchers.processes.size());
  DeviceOwners owners(p, rank_, static_cast<uint32_t>(p.ranks.size()));
  for (uint32_t process = 1; process < count; ++process)
    append(p.ranks, {.file = p.ranks.file[rank_],
                     .rank = p.ranks.rank[rank_] + static_cast<int32_t>(process),
                     .world_size = p.ranks.world_size[rank_],
                     .window_start_ns = p.ranks.window_start_ns[rank_],
                     .window_end_ns = p.ranks.window_end_ns[rank_]});
  for (size_t row = 0; row < p.threads.size(); ++row) {
    if (p.threads.rank[row] != rank_) continue;
    const auto at = std::find(launchers.processes.begin(), launchers.processes.end(), p.threads.process[row]);
    if (at != launchers.processes.end())
      p.threads.rank.at(row) = owners.rank_of(static_cast<uint32_t>(at - launchers.processes.begin()));
  }
  const auto give = [&](auto& table, size_t first) {
    for (size_t row = first; row < table.size(); ++row) {
      if (const uint32_t process = launchers.of(table.correlation[row]); process != kShared)
        table.device.at(row) = owners.row(table.device[row], process);
    }
  };
  give(p.device_events, first_rows_["device_events"]);
  give(p.synchronizations, first_rows_["synchronizations"]);
  p.integrity.add("split-ranks", Severity::kInfo, count,
                  fmt::format("{}: recordings of {} processes in one file, taken as ranks {} to {}", name_, count,
                              p.ranks.rank[rank_], p.ranks.rank[rank_] + static_cast<int32_t>(count) - 1),
                  "nothing to do: each process is a rank");
}

}  // namespace warplens::kineto
