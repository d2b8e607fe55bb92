#include "warplens/program/findings/ranking.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

namespace warplens::findings {
namespace {

constexpr double kMendable = 0.5;

/// A finding about all time of one kind, and those about parts of it with causes of their own.
struct Kind {
  std::string_view general;
  std::span<const std::string_view> particular;
};

constexpr std::array<std::string_view, 10> kIdle = {
    "launch-bound", "input-bound",       "host-sync",     "allocator-churn", "uncached-allocator",
    "cold-start",   "many-small-copies", "pageable-copy", "exposed-copy",    "unfused-optimizer"};
constexpr std::array<std::string_view, 4> kCommunication = {"slow-collective", "uneven-collective", "many-collectives",
                                                            "straggler"};
constexpr std::array<Kind, 2> kKinds = {{{"idle-gpu", kIdle}, {"exposed-communication", kCommunication}}};

double saving(const Finding& finding) { return finding.saving_fraction.value_or(0); }

/// What findings of these ids are about, taken as if each were about other time.
double explained_by(const std::vector<Finding>& findings, std::span<const std::string_view> ids) {
  double total = 0;
  for (const Finding& finding : findings) {
    if (std::find(ids.begin(), ids.end(), finding.id) != ids.end())
      total += std::max(saving(finding), concerned_fraction(finding));
  }
  return total;
}

}  // namespace

std::vector<double> expected_worth(const std::vector<Finding>& findings) {
  std::vector<double> out;
  for (const Finding& finding : findings) {
    double worth = saving(finding);
    for (const Kind& kind : kKinds) {
      if (finding.id == kind.general)
        worth = std::max(worth, kMendable * (concerned_fraction(finding) - explained_by(findings, kind.particular)));
    }
    out.push_back(worth);
  }
  return out;
}

void rank(std::vector<Finding>& findings) {
  const std::vector<double> worth = expected_worth(findings);
  std::vector<size_t> order(findings.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(worth[a], findings[a].level) > std::pair(worth[b], findings[b].level);
  });
  std::vector<Finding> ranked;
  ranked.reserve(findings.size());
  for (const size_t i : order) ranked.push_back(std::move(findings[i]));
  findings = std::move(ranked);
}

}  // namespace warplens::findings
