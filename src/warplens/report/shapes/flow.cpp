#include "warplens/report/shapes/flow.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "warplens/isa/sass/instructions.h"
#include "warplens/report/loops.h"

namespace warplens::report {
namespace {

using sass::Access, sass::Category, sass::Form, sass::Instruction, sass::Opcode, sass::Word;

constexpr uint32_t kNoUniform = 63, kUniformBits = 63;

bool sets_predicate(const Instruction& i) { return i.name.ends_with("SETP"); }

bool gives_registers(const Instruction& i) {
  return i.category != Category::kControl && i.category != Category::kStore && i.category != Category::kBarrier &&
         !sets_predicate(i);
}

/// How many registers a result takes.
uint32_t width_of(const Instruction& i, const Word& word) {
  constexpr std::array<uint32_t, 8> kRegisters = {1, 1, 1, 1, 1, 2, 4, 1};  // by the code of a load's width
  if (i.category == Category::kLoad) return kRegisters[word.width_code()];
  const bool moves_matrix = i.category == Category::kMatrixMove && i.opcode != Opcode::kMovm;
  if (i.category == Category::kMatrix || moves_matrix || i.category == Category::kTexture) return 4;
  const bool wide = i.category == Category::kFp64 || i.opcode == Opcode::kImadWide || i.opcode == Opcode::kUimadWide ||
                    i.opcode == Opcode::kCs2r;
  return wide ? 2 : 1;
}

/// R1 = R2, in one of its forms: where it is from; kNoLane: it is none.
uint32_t moved_from(const Instruction& i, const Word& word) {
  if (!word.is(Form::kRegisters)) return kNoLane;
  if (i.opcode == Opcode::kMov) return word.source_low();
  const bool adds_nothing = i.opcode == Opcode::kImad && word.source_a() == kNoLane && word.source_low() == kNoLane;
  return adds_nothing && !word.negates_high() ? word.source_high() : kNoLane;
}

}  // namespace

Flow::Flow(const simt::sass_machine::Program& program, const std::function<bool(size_t)>& ran) : program_(program) {
  for (size_t k = 0; k < program.code.size(); ++k) {
    if (const size_t begin = begin_of_loop(program, k); begin < k) loops_.push_back({begin, k});
    if (!ran(k)) continue;  // turns of an unrolled loop that this launch is too short for
    const auto [first, count] = targets_of(k);
    for (uint32_t r = first; r < std::min<size_t>(first + count, writers_.size()); ++r) writers_[r].push_back(k);
  }
  std::ranges::stable_sort(
      loops_, [](const LoopRange& a, const LoopRange& b) { return a.branch - a.begin < b.branch - b.begin; });
}

std::vector<LoopRange> Flow::loops_about(size_t k) const {
  std::vector<LoopRange> out;
  for (const LoopRange& loop : loops_) {
    if (!loop.holds(k)) continue;
    if (!out.empty() && out.back().begin == loop.begin) out.back() = loop;  // two branches back to one place
    else out.push_back(loop);
  }
  out.push_back({0, program_.code.size() - 1, false});
  return out;
}

std::pair<uint32_t, uint32_t> Flow::targets_of(size_t k) const {
  const Instruction& i = program_.at(k);
  const Word& word = program_.code[k];
  if (!gives_registers(i)) return {};
  const bool uniform = i.uniform || i.name == "R2UR";
  const uint32_t none = uniform ? kNoUniform : kNoLane, bank = uniform ? kFirstUniform : 0;
  const uint32_t target = uniform ? word.target() & kUniformBits : word.target();
  if (target == none) return {};
  return {bank + target, std::min(width_of(i, word), none - target)};
}

bool Flow::writes(size_t k, uint32_t r) const {
  const auto [first, count] = targets_of(k);
  return r >= first && r < first + count;
}

std::vector<uint32_t> Flow::sources_of(size_t k) const {
  const Instruction& i = program_.at(k);
  const Word& word = program_.code[k];
  std::vector<uint32_t> out;
  const auto add = [&](uint32_t r, bool uniform) {
    if (uniform && (r & kUniformBits) != kNoUniform) out.push_back(kFirstUniform + (r & kUniformBits));
    if (!uniform && r != kNoLane) out.push_back(r);
  };
  if (i.access != Access::kNone) {  // its address
    constexpr int kBased = 91;      // on a uniform register, too
    add(word.source_a(), i.uniform);
    if (word.bit(kBased) && i.category == Category::kLoad) add(word.source_low(), true);
    return out;
  }
  if (i.opcode != Opcode::kMov && i.opcode != Opcode::kUmov) add(word.source_a(), i.uniform);
  if (word.is(Form::kRegisters)) add(word.source_low(), i.uniform);
  else if (word.is(Form::kUniformB) || word.is(Form::kUniformC)) add(word.source_low(), true);
  const bool three = i.category == Category::kInteger && i.opcode != Opcode::kViadd;
  if (i.opcode == Opcode::kFfma || three || i.category == Category::kUniform) add(word.source_high(), i.uniform);
  return out;
}

Flow::Definition Flow::written_before(const LoopRange& loop, size_t k, uint32_t r) const {
  const std::vector<size_t>& all = writers_[r];
  const auto before = std::ranges::lower_bound(all, k);
  if (before != all.begin() && *(before - 1) >= loop.begin) return {*(before - 1), false};
  const auto last = std::ranges::upper_bound(all, loop.branch);
  if (loop.turns && last != all.begin() && *(last - 1) >= k) return {*(last - 1), true};
  return {};
}

Flow::Definition Flow::definition(const LoopRange& loop, size_t k, uint32_t r) const {
  constexpr int kMostMoves = 4;
  Definition out = written_before(loop, k, r);
  for (int moves = 0; out.known() && moves < kMostMoves; ++moves) {
    const uint32_t from = moved_from(program_.at(out.at), program_.code[out.at]);
    if (from == kNoLane) break;
    const Definition before = written_before(loop, out.at, from);
    if (!before.known()) break;
    out = {before.at, out.carried || before.carried};
  }
  return out;
}

bool Flow::comes_from(const LoopRange& loop, size_t k, uint32_t r,
                      const std::function<bool(const Definition&)>& is_source) const {
  std::set<std::pair<size_t, uint32_t>> seen;
  std::vector<std::pair<size_t, uint32_t>> left = {{k, r}};
  while (!left.empty()) {
    const auto [user, own] = left.back();
    left.pop_back();
    if (!seen.insert({user, own}).second) continue;
    const Definition found = written_before(loop, user, own);
    if (!found.known()) continue;
    if (is_source(found)) return true;
    for (const uint32_t source : sources_of(found.at)) left.push_back({found.at, source});
  }
  return false;
}

bool Flow::writes_shared(const LoopRange& loop) const {
  for (size_t k = loop.begin; loop.turns && k <= loop.branch; ++k) {
    const Access access = program_.at(k).access;
    if (access == Access::kSharedStore || access == Access::kGlobalCopy) return true;
  }
  return false;
}

bool Flow::varies(const LoopRange& loop, size_t k, uint32_t r) const {
  const bool filled = writes_shared(loop);
  return comes_from(loop, k, r, [&](const Definition& found) {
    return found.carried || (filled && program_.at(found.at).access == Access::kSharedLoad);
  });
}

}  // namespace warplens::report
