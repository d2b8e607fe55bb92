#include "warplens/hangs/analysis.h"

#include <algorithm>
#include <set>

#include "warplens/base/text.h"

namespace warplens::hangs {
namespace {

using ByRank = std::map<int64_t, const Entry*>;

/// A group's collectives by sequence number and rank, and who belongs to it.
struct GroupView {
  std::string description;
  std::set<int64_t> members;
  std::map<int64_t, ByRank> at;            // sequence -> rank -> its entry
  std::map<int64_t, int64_t> first, last;  // of each rank: the sequence numbers that its dump still has
};

std::map<std::string, GroupView> views_of(const std::vector<Dump>& dumps) {
  std::map<std::string, GroupView> views;
  for (const Dump& dump : dumps) {
    for (const auto& [name, group] : dump.groups) {
      views[name].description = group.description;
      views[name].members.insert(group.ranks.begin(), group.ranks.end());
    }
    for (const Entry& entry : dump.entries) {
      if (entry.point_to_point) continue;
      GroupView& view = views[entry.group];
      view.members.insert(dump.rank);
      view.at[entry.sequence][dump.rank] = &entry;
      const auto [first, added] = view.first.try_emplace(dump.rank, entry.sequence);
      if (!added) first->second = std::min(first->second, entry.sequence);
      view.last[dump.rank] = std::max(view.last[dump.rank], entry.sequence);
    }
  }
  return views;
}

const Dump* dump_of(const std::vector<Dump>& dumps, int64_t rank) {
  const auto found = std::find_if(dumps.begin(), dumps.end(), [&](const Dump& d) { return d.rank == rank; });
  return found == dumps.end() ? nullptr : &*found;
}

/// Whether a rank is behind `sequence`: its dump ends before it. An entry that the ring has dropped was passed long
/// ago.
bool is_behind(const GroupView& view, int64_t rank, int64_t sequence) {
  const auto last = view.last.find(rank);
  return last == view.last.end() || last->second < sequence;
}

Standing standing_of(const std::vector<Dump>& dumps, const ByRank& arrived, int64_t rank) {
  Standing out;
  out.rank = rank;
  const Dump* dump = dump_of(dumps, rank);
  out.has_dump = dump != nullptr;
  if (const auto entry = arrived.find(rank); entry != arrived.end()) {
    out.arrived = true, out.state = entry->second->state;
    out.name = entry->second->name, out.sizes = entry->second->sizes, out.dtypes = entry->second->dtypes;
  } else if (dump != nullptr && !dump->entries.empty()) {
    const Entry& last = *std::max_element(dump->entries.begin(), dump->entries.end(),
                                          [](const Entry& a, const Entry& b) { return a.created_ns < b.created_ns; });
    out.last = fmt::format("{} number {} of group {}", last.name, last.sequence, last.group);
    out.last_place = last.place;
    out.waits_elsewhere = last.state != State::kCompleted;
  }
  return out;
}

/// Sizes of all_to_all and of gathers to one rank may differ.
bool sizes_must_agree(const std::string& name) {
  return contains(name, "all_reduce") || contains(name, "broadcast") || contains(name, "all_gather") ||
         contains(name, "_allgather") || contains(name, "reduce_scatter") || contains(name, "allreduce");
}

void compare(Hang& hang) {
  std::map<std::string, int> names;
  std::set<std::string> sizes, dtypes;
  for (const Standing& rank : hang.ranks) {
    if (!rank.arrived) continue;
    ++names[rank.name];
    sizes.insert(rank.sizes);
    dtypes.insert(rank.dtypes);
  }
  hang.names_differ = names.size() > 1;
  const auto most =
      std::max_element(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != names.end()) hang.name = most->first;
  hang.sizes_differ = sizes.size() > 1 && !hang.names_differ && sizes_must_agree(hang.name);
  hang.dtypes_differ = dtypes.size() > 1 && !hang.names_differ;
}

/// The first collective of a group that not everyone completed; no value where there is none.
std::optional<Hang> first_hang(const std::vector<Dump>& dumps, const std::string& name, const GroupView& view) {
  for (const auto& [sequence, arrived] : view.at) {
    const bool incomplete = std::any_of(arrived.begin(), arrived.end(),
                                        [](const auto& entry) { return entry.second->state != State::kCompleted; });
    if (!incomplete) continue;
    Hang hang;
    hang.group = name, hang.description = view.description, hang.sequence = sequence;
    for (const int64_t rank : view.members) {
      if (arrived.contains(rank) || is_behind(view, rank, sequence))
        hang.ranks.push_back(standing_of(dumps, arrived, rank));
    }
    for (const auto& [rank, entry] : arrived) {
      if (hang.created_ns == 0 || entry->created_ns < hang.created_ns) hang.created_ns = entry->created_ns;
      if (hang.place.empty()) hang.place = entry->place;
    }
    compare(hang);
    return hang;
  }
  return std::nullopt;
}

}  // namespace

std::vector<int64_t> Hang::missing() const {
  std::vector<int64_t> out;
  for (const Standing& rank : ranks) {
    if (!rank.arrived) out.push_back(rank.rank);
  }
  return out;
}

HangReport analyse(const std::vector<Dump>& dumps) {
  HangReport report;
  for (const Dump& dump : dumps) {
    report.ranks.push_back(dump.rank);
    report.entries += static_cast<int64_t>(dump.entries.size());
    report.left_out += dump.left_out;
  }
  std::sort(report.ranks.begin(), report.ranks.end());
  for (const auto& [name, view] : views_of(dumps)) {
    if (auto hang = first_hang(dumps, name, view)) report.hangs.push_back(std::move(*hang));
  }
  std::set<int64_t> culprits;
  const auto explains = [](const Hang& hang) {
    const bool free = std::any_of(hang.ranks.begin(), hang.ranks.end(),
                                  [](const Standing& r) { return !r.arrived && !r.waits_elsewhere; });
    return free || hang.names_differ || hang.sizes_differ || hang.dtypes_differ;
  };
  std::stable_sort(report.hangs.begin(), report.hangs.end(), [&](const Hang& a, const Hang& b) {
    return std::make_pair(!explains(a), a.created_ns) < std::make_pair(!explains(b), b.created_ns);
  });
  for (const Hang& hang : report.hangs) {
    for (const Standing& rank : hang.ranks) {
      if (!rank.arrived && !rank.waits_elsewhere) culprits.insert(rank.rank);
    }
  }
  report.culprits.assign(culprits.begin(), culprits.end());
  return report;
}

}  // namespace warplens::hangs
