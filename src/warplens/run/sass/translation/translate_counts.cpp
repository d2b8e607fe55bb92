// What translated code counts by itself: lanes that a guard leaves on, waits that the compiler wrote into instructions,
// and branches that all lanes take. Everything else is counted where it is called, or follows from these: see
// sum_tally.
#include <bit>
#include <cstddef>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/translation/translate_memory.h"
#include "warplens/run/sass/translation/translation.h"
#include "warplens/run/sass/translation/translator.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr Gpr kSchedule = kRcx, kClock = kRdx, kRow = kRcx;
constexpr int kNow = 0, kBefore = 1, kTime = 2;
constexpr Place kNowPlace{kClock, static_cast<int32_t>(Clock::now_offset())};
Place ready_place(uint32_t barrier) { return {kClock, static_cast<int32_t>(Clock::ready_offset(barrier))}; }
Place of_schedule(size_t offset) { return {kSchedule, static_cast<int32_t>(offset)}; }
Place of_counts(const Op& op, size_t offset) {
  return {kRow, static_cast<int32_t>(op.index * sizeof(simt::InstructionCounts) + offset)};
}

}  // namespace

/// The guard leaves these lanes on, which stay as they are.
void Translator::count_on(const Op& op, Gpr lanes) {
  if (!schedules_) return;
  code_.count_bits(kRdx, lanes);
  code_.load(kRow, of_warp(offsetof(Warp, counts)), true);
  code_.add_to(of_counts(op, offsetof(simt::InstructionCounts, predicated_on_threads)), kRdx);
}

/// Clock::issue of an instruction.
void Translator::issue(const Op& op, const Cost& cost) {
  if (!schedules_ || !op.timed) return;
  const Schedule& schedule = (*schedules_)[op.index];
  code_.address(kSchedule, &schedule);
  code_.load(kClock, of_warp(offsetof(Warp, clock)), true);
  code_.vector(kLoadFour, kNow, 0, kNowPlace);
  code_.vector(kRepeatPairFour, kBefore, 0, of_schedule(offsetof(Schedule, before)));
  for (const uint32_t barrier : set_bits(schedule.wait)) {
    code_.vector(kLoadFour, kTime, 0, ready_place(barrier));
    code_.vector(kSubtractFour, kTime, kTime, kBefore);
    code_.vector(kMostFour, kNow, kNow, kTime);
  }
  if (schedule.wait) code_.vector(kStoreFour, kNow, 0, kNowPlace);
  code_.vector(kAddFour, kNow, kNow, kBefore);
  if (cost.extra_cycles != 0) {
    code_.constant(kScratch, cost.extra_cycles);
    code_.vector(kRepeatFour, kTime, 0, kScratch);
    code_.vector(kAddFour, kNow, kNow, kTime);
  }
  if (cost.extra_vector >= 0) code_.vector(kAddFour, kNow, kNow, cost.extra_vector);
  const auto set_ready = [&](uint32_t barrier, Place later, uint32_t doublings) {
    if (barrier >= 6) return;
    code_.vector(kAddFour, kTime, kNow, later);
    if (doublings != 0) code_.vector(kAddFour, kTime, kTime, constant(kTranslatorConstants.farther[doublings - 1]));
    code_.vector(kMostFour, kTime, kTime, ready_place(barrier));
    code_.vector(kStoreFour, kTime, 0, ready_place(barrier));
  };
  set_ready(schedule.write, of_schedule(offsetof(Schedule, latency)), cost.line_doublings);
  set_ready(schedule.read, constant(kTranslatorConstants.read_cycles), 0);
}

/// A request of these lanes: see SimpleRequests. A general register more than the last ones is lost.
void Translator::count_simple(const Op& op, const Changes& on, simt::Shape shape) {
  const size_t kind = shape == simt::Shape::kRun ? offsetof(SimpleRequests, runs) : offsetof(SimpleRequests, ones);
  const auto of_kind = [&](size_t offset) {
    return Place{kRow, static_cast<int32_t>(op.index * sizeof(SimpleRequests) + kind + offset)};
  };
  if (op.guarded) count_on(op, on.lanes);
  code_.load(kRow, of_warp(offsetof(Warp, simple_requests)), true);
  code_.add_to(of_kind(offsetof(SimpleRequests::Kind, times)), 1);
  code_.count_bits(kRdx, on.lanes);
  code_.add_to(of_kind(offsetof(SimpleRequests::Kind, lanes)), kRdx);
  if (!is_global(op)) return issue(op, {.extra_cycles = passes_together(shape, op.size_bytes) - 1});
  const uint32_t lines = lines_together(shape, op.size_bytes);
  issue(op, {.extra_cycles = turns_together(op.size_bytes) - 1,
             .line_doublings = static_cast<uint32_t>(std::bit_width(lines - 1))});
}

/// To `slow` where a request to device memory at the address is none that count_simple counts.
void Translator::unless_read_before(const Op& op, simt::Shape shape, Jumps* slow) {
  constexpr Gpr kState = kUpperWord;
  constexpr uint32_t kLinesOfWord = 2;
  code_.compare_byte(of_warp(offsetof(Warp, traced)), 0);
  slow->push_back(code_.jump(When::kNotZero));
  code_.move_whole(kState, kAddress);
  code_.scalar(Scalar::kSubtract, kState, of_reach(op, offsetof(Reach, lines.begin)), true);
  if (shape == simt::Shape::kRun) {
    code_.test_bits(kState, kLineBytes - 1);
    slow->push_back(code_.jump(When::kNotZero));
  }
  code_.shift_right(kState, std::countr_zero(kLineBytes), true);
  static_assert(sizeof(LineState) == 2);
  code_.scalar(Scalar::kAdd, kState, kState, true);
  code_.scalar(Scalar::kAdd, kState, of_reach(op, offsetof(Reach, lines.states)), true);
  const uint32_t lines = lines_together(shape, op.size_bytes);
  if (lines == 1) {
    code_.compare_half({kState, 0}, kOnlyRead);
    return slow->push_back(code_.jump(When::kNotZero));
  }
  for (uint32_t line = 0; line < lines; line += kLinesOfWord) {
    code_.compare({kState, static_cast<int32_t>(line * sizeof(LineState))}, uint32_t{kOnlyRead} << 16 | kOnlyRead);
    slow->push_back(code_.jump(When::kNotZero));
  }
}

/// Where lanes part the handler says what happens.
void Translator::branch_counted(const Op& op, uint32_t target) {
  const bool always = !op.guarded && (op.p.index & 7) == 7;
  if (always) {
    issue(op);
    if (!op.p.inverted) go_to_counted(op, target);
    return;
  }
  if (op.guarded) {
    predicate(kR9, op.guard);
    code_.scalar(Scalar::kAnd, kR9, kActive);
  } else {
    code_.scalar(Scalar::kMove, kR9, kActive);
  }
  predicate(kRax, op.p);
  code_.scalar(Scalar::kAnd, kRax, kR9);
  const size_t nobody = code_.jump(When::kZero);
  code_.scalar(Scalar::kCompare, kRax, kActive);
  const size_t everybody = code_.jump(When::kZero);
  const uint32_t kept = kept_;
  call_handler(op);
  leave(Translation::kEnded);
  kept_ = kept;
  code_.aim(everybody, code_.code.size());
  if (op.guarded) count_on(op, kR9);
  issue(op);
  go_to_counted(op, target);
  code_.aim(nobody, code_.code.size());
  if (op.guarded) count_on(op, kR9);
  issue(op);
}

/// All active lanes go to `target`: one stretch ends and another begins.
void Translator::go_to_counted(const Op& op, uint32_t target) {
  const uint32_t end = op.index + 1;
  code_.load(kRow, of_warp(offsetof(Warp, taken)), true);
  const auto of_taken = [&](size_t offset) {
    return Place{kRow, static_cast<int32_t>(op.index * sizeof(TakenBranch) + offset)};
  };
  code_.add_to(of_taken(offsetof(TakenBranch, times)), 1);
  if (whole_) {
    code_.add_to(of_taken(offsetof(TakenBranch, lanes)), kLanes);
  } else {
    code_.count_bits(kRax, kActive);
    code_.add_to(of_taken(offsetof(TakenBranch, lanes)), kRax);
  }
  const int64_t cycles =
      (*schedules_)[end].before - (*schedules_)[target].before + (target == end ? 0 : int64_t{kTakenBranchCycles});
  code_.constant_signed(kRax, static_cast<int32_t>(cycles));
  code_.vector(kRepeatFour, kTime, 0, kRax);
  code_.load(kClock, of_warp(offsetof(Warp, clock)), true);
  code_.vector(kAddFour, kTime, kTime, kNowPlace);
  code_.vector(kStoreFour, kTime, 0, kNowPlace);
  code_.scalar(Scalar::kSubtract, kLeft, static_cast<int32_t>(end));
  const size_t over = code_.jump(When::kNotPositive);
  code_.scalar(Scalar::kAdd, kLeft, static_cast<int32_t>(target));
  jumps_.push_back({code_.jump(), target});
  code_.aim(over, code_.code.size());
  leave(target);
}

}  // namespace warplens::simt::sass_machine
