#include "warplens/report/shapes/sums.h"

#include <algorithm>
#include <map>

namespace warplens::report {
namespace {

/// The first term of the sum that `k` is of, by its way back through the loop's turn.
size_t first_of(const Flow& flow, const LoopRange& loop, size_t k, const TermOf& term_of, bool* carried) {
  constexpr int kLongest = 4096;
  for (int steps = 0; steps < kLongest; ++steps) {
    const Flow::Definition before = flow.definition(loop, k, term_of(k));
    if (!before.known() || term_of(before.at) == kNoTerm) return k;
    if (before.carried) {
      *carried = true;
      return k;
    }
    k = before.at;
  }
  return k;
}

}  // namespace

namespace {

/// The same across loops: a compiler cuts one sum into a loop of several turns at once and one of what remains.
size_t root_of(const Flow& flow, const std::vector<LoopRange>& loops, size_t k, const TermOf& term_of, bool* carried) {
  size_t first = first_of(flow, loops[0], k, term_of, carried);
  for (size_t l = 1; l < loops.size(); ++l) {
    const Flow::Definition before = flow.definition(loops[l], first, term_of(first));
    if (!before.known() || before.carried) continue;
    if (term_of(before.at) == kNoTerm) break;
    bool around = false;
    first = first_of(flow, loops[l], before.at, term_of, &around);
  }
  return first;
}

/// Loops that carry the sum of a term, innermost first.
std::vector<LoopRange> loops_around(const Flow& flow, const std::vector<LoopRange>& loops, size_t first,
                                    const TermOf& term_of) {
  std::vector<LoopRange> out = {loops[0]};
  for (size_t l = 1; l < loops.size() && loops[l].turns; ++l) {
    if (!flow.definition(loops[l], first, term_of(first)).carried) break;
    out.push_back(loops[l]);
  }
  return out;
}

}  // namespace

std::vector<Sum> find_sums(const Flow& flow, size_t instructions, const TermOf& term_of) {
  std::map<size_t, Sum> sums;  // by where they begin
  for (size_t k = 0; k < instructions; ++k) {
    if (term_of(k) == kNoTerm) continue;
    const std::vector<LoopRange> loops = flow.loops_about(k);
    bool carried = false;
    const size_t first = root_of(flow, loops, k, term_of, &carried);
    Sum& sum = sums[first];
    const bool inner = sum.terms.empty() || loops[0].branch - loops[0].begin < sum.loop.branch - sum.loop.begin;
    sum.terms.push_back(k);
    if (!inner) continue;
    sum.loop = loops[0];
    sum.carried = carried;
    sum.about = carried ? loops_around(flow, loops, first, term_of) : std::vector<LoopRange>();
  }
  std::vector<Sum> out;
  for (auto& [place, sum] : sums) out.push_back(std::move(sum));
  return out;
}

uint64_t leaving(const LoopRange& loop, const simt::sass_machine::MachineCounts& counts) {
  const simt::InstructionCounts& branch = counts.instructions[loop.branch];
  return branch.active_threads - std::min(branch.active_threads, branch.taken_threads);
}

}  // namespace warplens::report
