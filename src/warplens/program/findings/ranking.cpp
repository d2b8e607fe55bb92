#include "warplens/program/findings/ranking.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

namespace warplens::findings {
namespace {

/// A finding about all time of one kind, and those about parts of it with causes of their own.
struct Kind {
  std::string_view general;
  std::span<const std::string_view> particular;
  double mendable = 0.5;  // of the time that no particular finding is about
};

constexpr std::array<std::string_view, 10> kIdle = {
    "launch-bound", "input-bound",       "host-sync",     "allocator-churn", "uncached-allocator",
    "cold-start",   "many-small-copies", "pageable-copy", "exposed-copy",    "unfused-optimizer"};
constexpr std::array<std::string_view, 4> kCommunication = {"slow-collective", "uneven-collective", "many-collectives",
                                                            "straggler"};
constexpr std::array<Kind, 3> kKinds = {
    {{"idle-gpu", kIdle}, {"exposed-communication", kCommunication}, {"hot-kernel", {}, 0.25}}};

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

double worth_of(const Finding& finding, const std::vector<Finding>& all) {
  double worth = saving(finding);
  for (const Kind& kind : kKinds) {
    if (finding.id == kind.general)
      worth = std::max(worth, kind.mendable * (concerned_fraction(finding) - explained_by(all, kind.particular)));
  }
  return worth;
}

std::string_view kernel_of(const Finding& finding) {
  for (const auto& [name, value] : finding.evidence) {
    if (name == "kernel" && std::holds_alternative<std::string>(value)) return std::get<std::string>(value);
  }
  return {};
}

/// A kernel of which the shape of its launch or its own cause is told.
bool told_by_others(const Finding& finding, const std::vector<Finding>& all) {
  return finding.id == "hot-kernel" && std::any_of(all.begin(), all.end(), [&](const Finding& other) {
           return (other.id == "small-grid" || other.id == "tail-effect" || other.id == "kernel-cause") &&
                  kernel_of(other) == kernel_of(finding);
         });
}

}  // namespace

std::vector<double> expected_worth(const std::vector<Finding>& findings) {
  std::vector<double> out;
  for (const Finding& finding : findings) out.push_back(worth_of(finding, findings));
  return out;
}

void rank(std::vector<Finding>& findings) {
  std::erase_if(findings, [all = findings](const Finding& finding) { return told_by_others(finding, all); });
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
