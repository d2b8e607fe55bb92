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
};

constexpr std::array<std::string_view, 12> kIdle = {"launch-bound",      "input-bound",        "host-sync",
                                                    "allocator-churn",   "uncached-allocator", "cold-start",
                                                    "many-small-copies", "pageable-copy",      "repeated-copy",
                                                    "exposed-copy",      "unfused-optimizer",  "recomputed-forward"};
constexpr std::array<std::string_view, 4> kCommunication = {"slow-collective", "uneven-collective", "many-collectives",
                                                            "straggler"};
constexpr std::array<Kind, 2> kKinds = {{{"idle-gpu", kIdle}, {"exposed-communication", kCommunication}}};

/// What keeps a step from being captured: capture allows no wait for the device, no memory of the driver's, no copy of
/// pageable memory, no optimizer that counts its steps on the host, no state of random numbers read back.
constexpr std::array<std::string_view, 8> kBeforeCapture = {
    "host-sync",     "allocator-churn",   "uncached-allocator", "pageable-copy",
    "repeated-copy", "many-small-copies", "unfused-optimizer",  "recomputed-forward"};

bool is_one_of(const Finding& finding, std::span<const std::string_view> ids) {
  return std::find(ids.begin(), ids.end(), finding.id) != ids.end();
}

double saving(const Finding& finding) { return finding.saving_fraction.value_or(0); }

/// Its saving; of time that no finding knows the cause of, all of that time: a bound.
double worth_of(const Finding& finding, const std::vector<Finding>& all) {
  for (const Kind& kind : kKinds) {
    const auto explains = [&](const Finding& other) {
      return is_one_of(other, kind.particular) && saving(other) >= kMinorSaving;
    };
    if (finding.id == kind.general && std::none_of(all.begin(), all.end(), explains))
      return std::max(saving(finding), concerned_fraction(finding));
  }
  // Explained, it stands behind what explains it, and before what is told in passing.
  const bool counts = concerned_fraction(finding) > 0 && (!finding.saving_fraction || finding.level != Level::kInfo);
  return std::max(saving(finding), counts ? kMinorSaving : 0);
}

/// A graph of the step can be had only when the step can be captured: its finding follows those that come before that.
void put_capture_last(std::vector<Finding>& findings) {
  const auto graph =
      std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.id == "launch-bound"; });
  if (graph == findings.end()) return;
  const auto after = std::find_if(findings.rbegin(), findings.rend(), [](const Finding& f) {
                       return is_one_of(f, kBeforeCapture) && f.level != Level::kInfo;
                     }).base();
  if (after > graph) std::rotate(graph, graph + 1, after);
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
  put_capture_last(findings);
}

}  // namespace warplens::findings
