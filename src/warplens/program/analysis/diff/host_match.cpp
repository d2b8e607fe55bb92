#include "warplens/program/analysis/diff/host_match.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>

namespace warplens::analysis::diff {
namespace {

constexpr double kMostlyTheSame = 0.5;  // of all that two ranges call: what both call
constexpr double kSameTime = 0.25;      // of a range's time: what may be left when the one around it takes it over

/// A call of CUDA or HIP without whose it is, "LaunchKernel"; an operator or range as it stands.
std::string plain_name(const HostCost& cost) {
  if (cost.is_call && (cost.name.starts_with("cuda") || cost.name.starts_with("hip")))
    return cost.name.substr(cost.name.front() == 'c' ? 4 : 3);
  return cost.name;
}

double per_step_ns(const HostCost& cost) {
  return std::accumulate(cost.step_ns.begin(), cost.step_ns.end(), 0.0) / static_cast<double>(cost.step_ns.size());
}

double per_step_count(const HostCost& cost) {
  return static_cast<double>(cost.count) / static_cast<double>(cost.step_ns.size());
}

/// What both call over what either calls: 0 for two that call nothing.
double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const size_t either = a.size() + b.size() - both.size();
  return either == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(either);
}

class HostMatcher {
 public:
  HostMatcher(const ProgramCost& base, const ProgramCost& fresh) {
    for (const HostCost& cost : base.host) row(cost.name).first = cost;
    for (const HostCost& cost : fresh.host) {
      const auto same = std::find_if(base.host.begin(), base.host.end(), [&](const HostCost& other) {
        return other.is_call && cost.is_call && plain_name(other) == plain_name(cost);
      });
      HostRow& at = row(same == base.host.end() ? cost.name : same->name);
      (at.second ? row(cost.name) : at).second = cost;
    }
  }

  std::vector<HostRow> run() {
    for (HostRow& row : rows_) {
      if (row.first && !row.second && row.first->is_range) pair_renamed(row);
    }
    for (HostRow& row : rows_) {
      if (row.first.has_value() != row.second.has_value()) count_with_parent(row);
    }
    std::erase_if(rows_, [](const HostRow& row) { return !row.first && !row.second; });
    return std::move(rows_);
  }

 private:
  HostRow& row(const std::string& name) {
    const auto [at, is_new] = rows_by_name_.try_emplace(name, rows_.size());
    if (is_new) rows_.emplace_back();
    return rows_[at->second];
  }

  /// The row around one; null at the outside of a thread.
  HostRow* around(const HostCost& cost) {
    const auto parent = rows_by_name_.find(cost.parent);
    return parent == rows_by_name_.end() ? nullptr : &rows_[parent->second];
  }

  void pair_renamed(HostRow& gone) {
    const HostRow* parent = around(*gone.first);
    HostRow* best = nullptr;
    double best_likeness = kMostlyTheSame;
    for (HostRow& came : rows_) {
      if (came.first || !came.second || !came.second->is_range || around(*came.second) != parent) continue;
      if (per_step_count(*came.second) != per_step_count(*gone.first)) continue;
      const double like = likeness(gone.first->calls, came.second->calls);
      if (like < best_likeness || (best != nullptr && like == best_likeness)) continue;
      best = &came;
      best_likeness = like;
    }
    if (best == nullptr) return;
    rows_by_name_[best->second->name] = rows_by_name_.at(gone.first->name);
    gone.second = std::move(best->second);
    best->second.reset();
  }

  void count_with_parent(HostRow& row) {
    std::optional<HostCost>& lone = row.first ? row.first : row.second;
    if (!lone->is_range) return;
    HostRow* parent = around(*lone);
    if (parent == nullptr || !parent->first || !parent->second) return;
    const double parent_ns = per_step_ns(*parent->second) - per_step_ns(*parent->first);
    const double lone_ns = per_step_ns(*lone), signed_ns = row.first ? -lone_ns : lone_ns;
    if (lone_ns == 0 || std::fabs(parent_ns + signed_ns) > kSameTime * lone_ns) return;
    HostCost& taker = row.first ? *parent->first : *parent->second;
    for (size_t s = 0; s < taker.step_ns.size(); ++s) taker.step_ns[s] += lone->step_ns[s];
    lone.reset();
  }

  std::vector<HostRow> rows_;
  std::map<std::string, size_t> rows_by_name_;
};

}  // namespace

std::vector<HostRow> match_host(const ProgramCost& base, const ProgramCost& fresh) {
  return HostMatcher(base, fresh).run();
}

}  // namespace warplens::analysis::diff
