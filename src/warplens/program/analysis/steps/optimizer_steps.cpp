#include "warplens/program/analysis/steps/optimizer_steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "warplens/program/analysis/links.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::analysis {
namespace {

constexpr std::string_view kBackward = "autograd::engine::evaluate_function: ";
constexpr size_t kRarely = 8;  // an update that comes so much less often than another is no part of each iteration

enum class Role : uint8_t { kOther, kOptimizer, kBackward };

Role role_of(std::string_view name) {
  if (is_optimizer_step(name)) return Role::kOptimizer;
  return name.starts_with(kBackward) ? Role::kBackward : Role::kOther;
}

/// Which optimizer: its class, and what the recorder noted of the instance.
using Identity = std::pair<StringId, StringId>;

struct Update {
  Identity first;  // of its optimizers
  int64_t start_ns, end_ns;
};

struct Found {
  std::vector<Update> calls;
  std::vector<int64_t> backward_ns;  // starts
};

Found find(const Profile& p, uint32_t rank) {
  NameMemo roles(p, role_of);
  Found out;
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    const Role role = roles(p.operators.name[row]);
    if (role == Role::kOther || rank_of_operator(p, row) != rank) continue;
    const int64_t start_ns = p.operators.start_ns[row];
    if (role == Role::kBackward) out.backward_ns.push_back(start_ns);
    else
      out.calls.push_back(
          {{p.operators.name[row], p.operators.args[row]}, start_ns, start_ns + p.operators.duration_ns[row]});
  }
  std::sort(out.calls.begin(), out.calls.end(), [](const Update& a, const Update& b) { return a.end_ns < b.end_ns; });
  std::sort(out.backward_ns.begin(), out.backward_ns.end());
  return out;
}

/// Calls that follow each other without a backward pass are one update; a closure's backward pass lies within its call.
std::vector<Update> merged(const Found& found) {
  std::vector<Update> out;
  for (const Update& call : found.calls) {
    const bool apart =
        out.empty() ||
        std::ranges::any_of(std::ranges::lower_bound(found.backward_ns, out.back().end_ns),
                            std::ranges::lower_bound(found.backward_ns, call.end_ns), [](int64_t) { return true; });
    if (apart || found.backward_ns.empty()) out.push_back(call);
    else out.back().end_ns = call.end_ns;
  }
  return out;
}

}  // namespace

bool is_optimizer_step(std::string_view range) { return range.starts_with("Optimizer.step#"); }

std::vector<int64_t> optimizer_step_ends(const Profile& p, uint32_t rank) {
  const std::vector<Update> updates = merged(find(p, rank));
  std::map<Identity, size_t> counts;
  for (const Update& update : updates) ++counts[update.first];
  size_t most = 0;
  for (const auto& [identity, count] : counts) most = std::max(most, count);
  const Update* chosen = nullptr;  // of equals the one that is seen first last
  for (const Update& update : updates) {
    const size_t count = counts[update.first];
    if (count * kRarely < most || (count == 1 && most > 1)) continue;
    if (chosen == nullptr || update.first == chosen->first) {
      chosen = chosen == nullptr ? &update : chosen;
      continue;
    }
    const bool is_new = std::none_of(updates.data(), &update, [&](const Update& u) { return u.first == update.first; });
    if (is_new && count <= counts[chosen->first]) chosen = &update;
  }
  std::vector<int64_t> ends;
  for (const Update& update : updates) {
    if (chosen != nullptr && update.first == chosen->first) ends.push_back(update.end_ns);
  }
  return ends;
}

}  // namespace warplens::analysis
