#include "warplens/cli/rank_reading.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/profile/job/meetings.h"
#include "warplens/trace/readers/read.h"

namespace warplens::cli {
namespace {

struct Given {
  std::string path;
  bool was_named;  // else it was found in a folder
};

std::vector<Given> expand(const std::vector<std::string>& paths) {
  std::vector<Given> out;
  for (const std::string& path : paths) {
    const std::vector<std::string> found = traces_in(path);
    if (found.empty()) out.push_back({path, true});
    for (const std::string& file : found) out.push_back({file, false});
  }
  return out;
}

struct Digested {
  Status status;
  Profile profile;
  std::vector<analysis::RankFacts> facts;
};

/// Threads of each reader: all of them where there are fewer files than threads.
size_t threads_each(size_t files) { return std::max<size_t>(1, default_threads() / std::max<size_t>(1, files)); }

}  // namespace

Result<ReadRanks> read_ranks(const std::vector<std::string>& paths) {
  const TimedScope timed("read ranks");
  const std::vector<Given> given = expand(paths);
  std::vector<Digested> digested(given.size());
  parallel_for(given.size(), default_threads(), [&](size_t i) {
    Result<Profile> whole = read_profile({given[i].path}, {.threads = threads_each(given.size())});
    if (!whole.ok()) {
      digested[i].status = whole.status();
      return;
    }
    digested[i].facts = analysis::rank_facts(*whole);
    digested[i].profile = analysis::digest(*whole);
  });
  ReadRanks out;
  for (size_t i = 0; i < given.size(); ++i) {
    Digested& one = digested[i];
    if (!one.status.ok()) {
      if (given[i].was_named) return one.status;
      out.left_out.emplace_back(given[i].path, one.status.message());
      continue;
    }
    out.files.push_back({given[i].path, static_cast<uint32_t>(out.profile.device_events.size())});
    analysis::append_digest(out.profile, out.facts, std::move(one.profile), std::move(one.facts));
  }
  if (out.files.empty() && out.left_out.empty()) return invalid_input(paths.front() + ": the folder holds no file");
  if (out.files.empty())
    return invalid_input(fmt::format("{}: none of its {} files could be read; the first: {}", paths.front(),
                                     out.left_out.size(), out.left_out.front().second));
  check_ranks(out.profile);
  return out;
}

void tell_hosts(const ReadRanks& ranks, const std::vector<analysis::CollectiveCost*>& collectives) {
  const auto& events = ranks.profile.device_events;
  std::vector<std::vector<analysis::CollectiveCost*>> by_file(ranks.files.size());
  for (analysis::CollectiveCost* cost : collectives) {
    const uint32_t event = cost->events[cost->last_rank];
    const auto behind = std::upper_bound(ranks.files.begin(), ranks.files.end(), event,
                                         [](uint32_t row, const auto& file) { return row < file.first_event; });
    by_file[static_cast<size_t>(behind - ranks.files.begin()) - 1].push_back(cost);
  }
  parallel_for(ranks.files.size(), default_threads(), [&](size_t i) {
    if (by_file[i].empty()) return;
    const Result<Profile> whole = read_profile({ranks.files[i].path}, {.threads = threads_each(ranks.files.size())});
    if (!whole.ok()) return;
    std::vector<uint32_t> rows;  // of its collectives, in the order of the digest's
    for (uint32_t row = 0; row < whole->device_events.size(); ++row) {
      if (job::is_collective(*whole, row)) rows.push_back(row);
    }
    for (analysis::CollectiveCost* cost : by_file[i]) {
      const uint32_t event = cost->events[cost->last_rank], at = event - ranks.files[i].first_event;
      if (at >= rows.size()) continue;
      const int64_t shift_ns = whole->device_events.start_ns[rows[at]] - events.start_ns[event];
      cost->late_host =
          analysis::host_at(*whole, rows[at], cost->late_begin_ns + shift_ns, whole->device_events.start_ns[rows[at]]);
    }
  });
}

}  // namespace warplens::cli
