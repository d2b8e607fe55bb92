#include "warplens/trace/profile/checks/checks.h"

#include <array>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/trace/profile/checks/cuts.h"

namespace warplens {

void check_rank(Profile& profile, const RankRows& rows) {
  using Check = void (*)(const Profile&, const RankRows&, Integrity&);
  static constexpr std::array<Check, 7> kChecks = {checks::check_launches, checks::check_graphs,  checks::check_times,
                                                   checks::check_streams,  checks::check_nesting, checks::check_doubled,
                                                   checks::check_cut};
  std::array<Integrity, kChecks.size()> found;
  const Profile& whole = profile;
  // Waking a thread takes longer than checking a small profile.
  constexpr size_t kSmall = 20'000;
  const size_t size = whole.operators.size() + whole.calls.size() + whole.device_events.size() +
                      whole.python_frames.size() + whole.synchronizations.size();
  parallel_for(kChecks.size(), size < kSmall ? 1 : default_threads(),
               [&](size_t i) { kChecks[i](whole, rows, found[i]); });
  for (const Integrity& part : found) {
    for (const IntegrityIssue& issue : part.issues())
      profile.integrity.add(issue.id, issue.severity, issue.count, issue.detail, issue.advice);
  }
}

namespace checks {

std::string rank_name(const Profile& profile, uint32_t rank) {
  const std::string file(profile.text(profile.ranks.file[rank]));
  return profile.ranks.size() == 1 ? file : fmt::format("rank {} ({})", profile.ranks.rank[rank], file);
}

}  // namespace checks
}  // namespace warplens
