#include "warplens/counters/counted_findings.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/counters/place_text.h"

namespace warplens::counters {
namespace {

constexpr size_t kPlaces = 3;
constexpr double kWorthSaying = 0.1;  // of all sectors or passes, as of reports
constexpr double kFewThreads = 24;    // of 32, at an instruction on average

using Lines = std::vector<const CountedLine*>;  // of a kernel
using Excess = std::function<uint64_t(const CountedLine&)>;

uint64_t sum(const Lines& lines, uint64_t CountedLine::* member) {
  uint64_t out = 0;
  for (const CountedLine* line : lines) out += line->*member;
  return out;
}

/// `finding` at the lines with most of `excess`.
LineFinding placed(Finding finding, Lines lines, const Excess& excess) {
  std::erase_if(lines, [&](const CountedLine* line) { return excess(*line) == 0; });
  std::ranges::stable_sort(lines, std::greater<>(), [&](const CountedLine* line) { return excess(*line); });
  finding.level = Level::kWarn;
  for (size_t k = 0; k < std::min(kPlaces, lines.size()); ++k)
    finding.where.push_back(place_text(lines[k]->file, lines[k]->line, lines[k]->offset));
  return {std::move(finding), *lines.front()};
}

std::string count_text(uint64_t count) { return format_count(static_cast<double>(count)); }

/// More of `counted` than the fewest that would do.
struct Waste {
  const char *id, *title, *what, *advice, *key, *ideal_key;
  uint64_t CountedLine::* counted;
  uint64_t CountedLine::* ideal;
};

constexpr Waste kWastes[] = {
    {"uncoalesced-access", "neighbouring threads access addresses that are far apart", "sectors of global memory move",
     "make consecutive threads access consecutive elements, or load whole tiles into shared memory first", "sectors",
     "ideal_sectors", &CountedLine::global_sectors, &CountedLine::global_ideal_sectors},
    {"bank-conflict", "lanes of a warp access different words of the same shared-memory bank",
     "passes over shared memory run", "pad the rows of the array by one element or permute its columns", "wavefronts",
     "ideal_wavefronts", &CountedLine::shared_wavefronts, &CountedLine::shared_ideal_wavefronts}};

std::optional<LineFinding> wasted(const Waste& waste, const Lines& lines) {
  const Excess excess = [&](const CountedLine& line) {
    return line.*waste.counted - std::min(line.*waste.counted, line.*waste.ideal);
  };
  uint64_t more = 0;
  for (const CountedLine* line : lines) more += excess(*line);
  const uint64_t all = sum(lines, waste.counted), ideal = all - more;
  if (more == 0 || static_cast<double>(more) < kWorthSaying * static_cast<double>(all)) return {};
  Finding finding{.id = waste.id, .title = waste.title, .advice = waste.advice};
  finding.detail = fmt::format("{} {}; {} are enough", count_text(all), waste.what, count_text(ideal));
  finding.evidence = {{waste.key, static_cast<int64_t>(all)}, {waste.ideal_key, static_cast<int64_t>(ideal)}};
  return placed(std::move(finding), lines, excess);
}

std::optional<LineFinding> divergent(const Lines& lines) {
  const uint64_t executed = sum(lines, &CountedLine::executed), branches = sum(lines, &CountedLine::divergent_branches);
  const double active = static_cast<double>(sum(lines, &CountedLine::active_threads)) / static_cast<double>(executed);
  if (branches == 0 || active <= 0 || active >= kFewThreads) return {};
  Finding finding{.id = "divergence",
                  .title = "threads of a warp take different branches",
                  .advice =
                      "make whole warps take one branch: sort or group the work by branch, or replace the branch "
                      "with arithmetic"};
  finding.detail = fmt::format("on average, {:.1f} of 32 threads of a warp are active", active);
  finding.evidence = {{"active_threads_per_instruction", active},
                      {"divergent_branches", static_cast<int64_t>(branches)}};
  return placed(std::move(finding), lines, [](const CountedLine& line) { return line.divergent_branches; });
}

}  // namespace

std::vector<LineFinding> line_findings(const std::vector<CountedLine>& lines) {
  std::vector<LineFinding> out;
  for (size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
    Lines of_kernel;
    for (; end < lines.size() && lines[end].kernel == lines[begin].kernel; ++end) of_kernel.push_back(&lines[end]);
    for (const Waste& waste : kWastes) {
      if (std::optional<LineFinding> found = wasted(waste, of_kernel)) out.push_back(std::move(*found));
    }
    if (std::optional<LineFinding> found = divergent(of_kernel)) out.push_back(std::move(*found));
  }
  return out;
}

}  // namespace warplens::counters
