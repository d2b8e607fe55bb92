#include <algorithm>
#include <iterator>

#include "warplens/base/text.h"
#include "warplens/hangs/analysis.h"

namespace warplens::hangs {
namespace {

Finding make(const char* id, std::string title) {
  Finding out;
  out.id = id, out.level = Level::kCritical, out.title = std::move(title);
  return out;
}

Finding missing_ranks(const Hang& hang) {
  std::vector<int64_t> missing, culprits, without_dump;
  for (const Standing& rank : hang.ranks) {
    if (rank.arrived) continue;
    missing.push_back(rank.rank);
    if (!rank.waits_elsewhere) culprits.push_back(rank.rank);
    if (!rank.has_dump) without_dump.push_back(rank.rank);
  }
  std::vector<int64_t> seen;
  std::ranges::set_difference(missing, without_dump, std::back_inserter(seen));
  const auto sentence = [](const std::vector<int64_t>& ranks, std::string_view what) {
    return fmt::format("rank{} {} {}", ranks.size() == 1 ? "" : "s", numbers_text(ranks), what);
  };
  std::vector<std::string> parts;
  if (!seen.empty()) parts.push_back(sentence(seen, "did not arrive"));
  if (!without_dump.empty()) parts.push_back(sentence(without_dump, "may have arrived: no dump shows it"));
  Finding out = make("missing-ranks", join(parts, "; "));
  out.evidence = {{"ranks", numbers_text(missing)},
                  {"culprits", numbers_text(culprits)},
                  {"without_dump", numbers_text(without_dump)}};
  return out;
}

Finding mismatch(const Hang& hang) {
  std::vector<std::string> parts;
  if (hang.names_differ) parts.emplace_back("ranks call different operations: their order of collectives differs");
  if (hang.sizes_differ) parts.emplace_back("ranks give inputs of different sizes");
  if (hang.dtypes_differ) parts.emplace_back("ranks give inputs of different types");
  Finding out = make("collective-mismatch", join(parts, "; "));
  out.evidence = {{"names", hang.names_differ}, {"sizes", hang.sizes_differ}, {"dtypes", hang.dtypes_differ}};
  return out;
}

}  // namespace

std::string numbers_text(const std::vector<int64_t>& numbers) {
  std::vector<std::string> parts;
  for (const int64_t number : numbers) parts.push_back(fmt::format("{}", number));
  return join(parts, ", ");
}

std::vector<Finding> findings_of(const Hang& hang) {
  std::vector<Finding> out;
  if (!hang.missing().empty()) out.push_back(missing_ranks(hang));
  if (hang.names_differ || hang.sizes_differ || hang.dtypes_differ) out.push_back(mismatch(hang));
  if (out.empty())
    out.push_back(
        make("stalled-collective",
             "every rank arrived, with equal operations: check the network, and a GPU that makes no progress"));
  return out;
}

}  // namespace warplens::hangs
