// Where operands of machine code come from: registers that a loop changes from turn to turn, and registers carried
// along.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "warplens/run/sass/machine.h"

namespace warplens::report {

/// A loop with those inside it: [begin, branch]. The whole kernel is one that nothing goes around.
struct LoopRange {
  size_t begin = 0, branch = 0;
  bool turns = true;
  bool holds(size_t k) const { return begin <= k && k <= branch; }
};

/// Registers of lanes count from 0, uniform ones from kFirstUniform.
inline constexpr uint32_t kFirstUniform = 256, kNoLane = 255;

/// Follows registers back through the code that ran, in its order. Of several ways of a branch all are assumed to have
/// run.
class Flow {
 public:
  /// `ran`: did any thread run the instruction?
  Flow(const simt::sass_machine::Program& program, const std::function<bool(size_t)>& ran);

  struct Definition {
    size_t at = kNowhere;
    bool carried = false;  // of the turn before
    bool known() const { return at != kNowhere; }
  };
  static constexpr size_t kNowhere = ~size_t{0};

  /// Loops about an instruction, innermost first; the whole kernel is the last.
  std::vector<LoopRange> loops_about(size_t k) const;
  /// The value that `k` finds in the register, moves between registers left out; unknown: the loop does not change it.
  Definition definition(const LoopRange& loop, size_t k, uint32_t r) const;
  /// Is what `k` finds in the register another number in each turn? So it is too where it comes from shared memory that
  /// the loop writes.
  bool varies(const LoopRange& loop, size_t k, uint32_t r) const;
  /// Does it come from what `is_source` takes, in this turn of the loop or in one before?
  bool comes_from(const LoopRange& loop, size_t k, uint32_t r,
                  const std::function<bool(const Definition&)>& is_source) const;
  /// Registers that an instruction reads; the two of an address count as its first.
  std::vector<uint32_t> sources_of(size_t k) const;
  bool writes(size_t k, uint32_t r) const;

 private:
  /// The registers that an instruction writes: the first, and how many.
  std::pair<uint32_t, uint32_t> targets_of(size_t k) const;
  bool writes_shared(const LoopRange& loop) const;
  Definition written_before(const LoopRange& loop, size_t k, uint32_t r) const;

  const simt::sass_machine::Program& program_;
  std::vector<LoopRange> loops_;                                // inner ones first
  std::array<std::vector<size_t>, 2 * kFirstUniform> writers_;  // of each register, in their order
};

}  // namespace warplens::report
