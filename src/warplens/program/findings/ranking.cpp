#include "warplens/program/findings/ranking.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

namespace warplens::findings {
namespace {

using Ids = std::vector<std::string>;

/// A finding about all time of one kind, and those about parts of it with causes of their own.
struct Kind {
  std::string_view general;
  std::span<const std::string_view> particular;
};

constexpr std::array<std::string_view, 12> kIdle = {"launch-bound",      "input-bound",        "host-sync",
                                                    "allocator-churn",   "uncached-allocator", "cold-start",
                                                    "many-small-copies", "pageable-copy",      "repeated-copy",
                                                    "exposed-copy",      "unfused-optimizer",  "recomputed-forward"};
constexpr std::array<std::string_view, 4> kCommunication = {"slow-collective", "uneven-collective", "many-collectives",
                                                            "straggler"};
constexpr std::array<Kind, 2> kKinds = {{{"idle-gpu", kIdle}, {"exposed-communication", kCommunication}}};

bool is_one_of(const Finding& finding, std::span<const std::string_view> ids) {
  return std::find(ids.begin(), ids.end(), finding.id) != ids.end();
}

double saving(const Finding& finding) { return finding.saving_fraction.value_or(0); }

std::string_view text_of(const Finding& finding, std::string_view name) {
  for (const auto& [key, value] : finding.evidence) {
    if (key == name && std::holds_alternative<std::string>(value)) return std::get<std::string>(value);
  }
  return {};
}

/// The saving of a graph that can be had only after this one is mended.
double made_possible(const Finding& finding, const std::vector<Finding>& all, const Ids& before_capture) {
  if (std::ranges::find(before_capture, finding.id) == before_capture.end()) return 0;
  const auto graph = std::ranges::find(all, "launch-bound", &Finding::id);
  return graph == all.end() ? 0 : saving(*graph);
}

/// Its saving, with what it makes possible; of time that no finding knows the cause of, all of that time: a bound.
double worth_of(const Finding& finding, const std::vector<Finding>& all, const Ids& before_capture) {
  for (const Kind& kind : kKinds) {
    const auto explains = [&](const Finding& other) {
      return is_one_of(other, kind.particular) && saving(other) >= kMinorSaving;
    };
    if (finding.id == kind.general && std::none_of(all.begin(), all.end(), explains))
      return std::max(saving(finding), concerned_fraction(finding));
  }
  // Explained, it stands behind what explains it, and before what is told in passing.
  const bool counts = concerned_fraction(finding) > 0 && (!finding.saving_fraction || finding.level != Level::kInfo);
  return std::max(saving(finding) + made_possible(finding, all, before_capture), counts ? kMinorSaving : 0);
}

/// A kernel of which the shape of its launch or its own cause is told.
bool told_by_others(const Finding& finding, const std::vector<Finding>& all) {
  return finding.id == "hot-kernel" && std::any_of(all.begin(), all.end(), [&](const Finding& other) {
           return (other.id == "small-grid" || other.id == "tail-effect" || other.id == "kernel-cause") &&
                  text_of(other, "kernel") == text_of(finding, "kernel");
         });
}

}  // namespace

void rank(std::vector<Finding>& findings, const Ids& before_capture) {
  std::erase_if(findings, [all = findings](const Finding& finding) { return told_by_others(finding, all); });
  std::vector<double> worth;
  for (const Finding& finding : findings) worth.push_back(worth_of(finding, findings, before_capture));
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
