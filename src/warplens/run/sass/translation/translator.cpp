#include "warplens/run/sass/translation/translator.h"

#include <cstddef>
#include <type_traits>

#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/run/sass/translation/translation.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr int32_t kRowBytes = 4 * kLanes, kHalfBytes = kRowBytes / 2;

static_assert(std::is_standard_layout_v<Warp>);
Place of_predicate(uint32_t index) { return {kWarp, static_cast<int32_t>(offsetof(Warp, predicates) + 4 * index)}; }

constexpr TranslatorConstants make_constants() {
  TranslatorConstants out{};
  for (uint32_t i = 0; i < 16; ++i) {
    out.evens[i] = 2 * i;
    out.odds[i] = 2 * i + 1;
    out.first_turns[i] = i / 2 + 16 * (i % 2);
    out.second_turns[i] = out.first_turns[i] + 8;
    out.backwards[i] = 15 - i;
    out.backward_bits[i] = 1u << (15 - i);
    out.backward_bits[16 + i] = 1u << (31 - i);
    out.backward_pairs[i / 2] = 7 - i / 2;
    out.exponents[i] = 0x7f800000;
    out.float_ones[i] = 0x3f800000;
    out.float_limits[i] = 0x4f000000;  // 2^31
    out.byte_places[i] = 0x04040404 * (i % 4);
    out.wide_signs[i / 2] = uint64_t{1} << 63;
    out.wide_magnitudes[i / 2] = ~uint64_t{0} >> 1;
    out.ones[i] = 1;
    out.signs[i] = 0x80000000u;
    out.magnitudes[i] = out.nans[i] = 0x7fffffffu;
  }
  for (int64_t& level : out.read_cycles) level = kReadCycles;
  for (int level = 0; level < 4; ++level) {
    for (int doublings : {1, 2}) out.farther[doublings - 1][level] = doublings * kLineDoublings[level];
  }
  for (uint32_t size = 0; size < 5; ++size) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) out.steps[size][lane] = lane << size;
  }
  return out;
}

}  // namespace

constinit const TranslatorConstants kTranslatorConstants = make_constants();

Place Translator::constant(const void* row) {
  return {kConstants, static_cast<int32_t>(static_cast<const uint8_t*>(row) -
                                           reinterpret_cast<const uint8_t*>(&kTranslatorConstants))};
}
Translator::Source Translator::source(const Operand& o, Gpr address, int half, int word) const {
  if (o.fixed) return {{address, word * kRowBytes + half * kHalfBytes}};
  const uint32_t row = o.row + static_cast<uint32_t>(word);
  return {of_row(row, half), row == kept_ ? kKept + half : -1};
}
void Translator::use(VectorOp op, int to, int first, const Source& second, int mask) {
  if (second.vector < 0) return code_.vector(op, to, first, second.place, mask);
  const bool loads = op.opcode == kLoadWords.opcode && op.prefix == kLoadWords.prefix;
  code_.vector(loads ? kCopyWords : op, to, first, second.vector, mask);
}
void Translator::forget(uint32_t row) {
  if (kept_ == row) kept_ = kNoRow;
}
void Translator::address_sources(const Op& op) {
  if (op.a.fixed) code_.address(kRsi, op.a.fixed);
  if (op.b.fixed) code_.address(kRdi, op.b.fixed);
  if (op.c.fixed) code_.address(kR8, op.c.fixed);
}

std::vector<uint8_t> Translator::translate() {
  enter();
  for (const Op& op : ops_) {
    if (kept_ != kNoRow) late_.push_back({entries.size(), kept_, code_.code.size()});
    entries.push_back(static_cast<uint32_t>(code_.code.size()));
    one(op);
  }
  for (const Late& late : late_) {
    entries[late.instruction] = static_cast<uint32_t>(code_.code.size());
    for (const int half : {0, 1}) code_.load(kKept + half, of_row(late.row, half));
    code_.aim(code_.jump(), late.place);
  }
  const size_t end = code_.code.size();
  code_.raw({0x49, 0xc1, 0xe5, 32});  // SHL r13, 32
  code_.raw({0x4c, 0x09, 0xe8});      // OR rax, r13
  code_.pop(kR9);
  for (const Gpr kept : {kR15, kR14, kR13, kR12, kRbp, kRbx}) code_.pop(kept);
  code_.clear_upper();
  code_.raw({0xc3});  // RET
  for (const size_t at : leaves_) code_.aim(at, end);
  for (const Jump& jump : jumps_) code_.aim(jump.at, entries[jump.target]);
  return std::move(code_.code);
}

/// Called with the warp, where to begin, what instructions reach, what is left of the turn and where a stop is told.
void Translator::enter() {
  for (const Gpr kept : {kRbx, kRbp, kR12, kR13, kR14, kR15, kR8}) code_.push(kept);  // the last stays on top
  code_.move_whole(kWarp, kRdi);
  code_.load(kRows, of_warp(offsetof(Warp, rows)), true);
  code_.load(kActive, of_warp(offsetof(Warp, active)));
  code_.move_whole(kReach, kRdx);
  code_.move_whole(kLeft, kRcx);
  code_.address(kConstants, &kTranslatorConstants);
  restore_masks();
  code_.jump_to(kRsi);
}

/// Handlers change mask registers.
void Translator::restore_masks() {
  if (whole_) return;
  code_.whole_mask_from(kActiveLow, kActive);
  code_.mask_of_upper(kActiveHigh, kActiveLow);
}

void Translator::leave(uint32_t pc) {
  code_.constant(kRax, pc);
  leaves_.push_back(code_.jump());
}

void Translator::one(const Op& op) {
  if (op.native == Native::kBranch) return branch(op);
  if (op.native == Native::kBeginRegion) return begin_region(op);
  if (op.native == Native::kEndRegion) return end_region(op);
  if (op.flow) return flow(op);
  const bool extreme = op.native == Native::kExtreme || op.native == Native::kFloatExtreme;
  if (op.native == Native::kNone || (extreme && (op.p.index & 7) != 7)) return call(op);
  if (schedules_ && op.native >= Native::kLoadGlobal) return memory_counted(op);
  if (!op.guarded) {
    translate_lanes(op, all_active());
    return issue(op);
  }
  size_t nobody = 0;
  const Changes on = guarded(op, &nobody);
  count_on(op, on.lanes);
  translate_lanes(op, on);
  code_.aim(nobody, code_.code.size());
  issue(op);
}

Translator::Changes Translator::guarded(const Op& op, size_t* nobody) {
  predicate(kRax, op.guard);
  code_.scalar(Scalar::kAnd, kRax, kActive);
  *nobody = code_.jump(When::kZero);
  code_.scalar(Scalar::kMove, kR9, kRax);
  code_.whole_mask_from(kGuardLow, kRax);
  code_.mask_of_upper(kGuardHigh, kGuardLow);
  return {kGuardLow, kGuardHigh, kR9};
}

void Translator::translate_lanes(const Op& op, const Changes& on) {
  op.native >= Native::kLoadGlobal ? memory(op, on) : arithmetic(op, on);
}

void Translator::call_handler(const Op& op) {
  if (schedules_ && !op.plain) {
    code_.move_whole(kRdi, kWarp);
    code_.address(kRsi, &op);
    code_.address(kRax, reinterpret_cast<const void*>(run_counted_step));
    code_.call(kRax);
    kept_ = kNoRow;
    return;
  }
  if (op.guarded) {
    predicate(kRdx, op.guard);
    code_.scalar(Scalar::kAnd, kRdx, kActive);
  } else {
    code_.scalar(Scalar::kMove, kRdx, kActive);
  }
  if (!op.plain) {
    code_.store_constant(of_warp(offsetof(Warp, pc)), op.index);
  }
  code_.move_whole(kRdi, kWarp);
  code_.address(kRsi, &op);
  code_.address(kRax, reinterpret_cast<const void*>(op.run));
  code_.call(kRax);
  kept_ = kNoRow;
}

void Translator::call(const Op& op) {
  call_handler(op);
  if (!op.plain) leave_if_stopped();
  restore_masks();
}

void Translator::leave_if_stopped() {
  code_.load_from_stack(kRax);
  code_.compare_byte({kRax, 0}, 0);
  const size_t goes_on = code_.jump(When::kZero);
  leave(Translation::kEnded);
  code_.aim(goes_on, code_.code.size());
}

/// Sends lanes elsewhere, or says that all stay.
void Translator::flow(const Op& op) {
  if (!schedules_) code_.store_constant(of_warp(offsetof(Warp, next)), op.index + 1);
  call_handler(op);
  const Place stays = of_warp(offsetof(Warp, stays));
  code_.compare_byte(stays, 0);
  const size_t all_stay = code_.jump(When::kNotZero);
  leave(Translation::kEnded);
  code_.aim(all_stay, code_.code.size());
  code_.store_byte(stays, 0);
  restore_masks();
}

/// The active lanes will wait for each other.
void Translator::begin_region(const Op& op) {
  code_.scalar(Scalar::kMove, kRax, kActive);
  code_.invert(kRax);
  code_.scalar(Scalar::kAnd, kRax, of_warp(offsetof(Warp, yielded)));
  code_.store(of_warp(offsetof(Warp, yielded)), kRax);
  const Changes on = all_active();
  for (const int half : {0, 1}) {
    const Place lanes = of_warp(offsetof(Warp, sync_lanes) + op.mode * sizeof(Lanes) + half * sizeof(Lanes) / 2);
    if (on.low != 0) code_.load(0, lanes);
    code_.vector(kBroadcast, 0, 0, kActive, on.of(half));
    code_.store(lanes, 0);
  }
  issue(op);
}

/// They go on where none of those that live is missing.
void Translator::end_region(const Op& op) {
  if (!whole_) {
    code_.first_bit(kRcx, kActive);
    code_.load_indexed(kRax, of_warp(offsetof(Warp, sync_lanes) + op.mode * sizeof(Lanes)), kRcx);
    code_.scalar(Scalar::kAnd, kRax, of_warp(offsetof(Warp, live)));
    code_.scalar(Scalar::kMove, kRcx, kActive);
    code_.invert(kRcx);
    code_.scalar(Scalar::kAnd, kRax, kRcx);
    const size_t all_here = code_.jump(When::kZero);
    flow(op);
    const size_t counted = code_.jump();
    code_.aim(all_here, code_.code.size());
    issue(op);
    return code_.aim(counted, code_.code.size());
  }
  issue(op);
}

/// All active lanes go to `target`.
void Translator::go_to(const Op& op, uint32_t target) {
  if (target <= op.index) {
    code_.scalar(Scalar::kSubtract, kLeft, static_cast<int32_t>(op.index - target + 1));
    const size_t time_left = code_.jump(When::kNegative);
    jumps_.push_back({code_.jump(), target});
    code_.aim(time_left, code_.code.size());
    return leave(target);
  }
  jumps_.push_back({code_.jump(), target});
}

/// Where lanes part the handler is left to say what happens.
void Translator::branch(const Op& op) {
  const uint32_t target = branch_target(op, ops_.size());
  if (schedules_) return branch_counted(op, target);
  const bool always = !op.guarded && (op.p.index & 7) == 7;
  if (always && op.p.inverted) return;
  if (always) return go_to(op, target);
  predicate(kRax, op.p);
  if (op.guarded) {
    predicate(kRcx, op.guard);
    code_.scalar(Scalar::kAnd, kRax, kRcx);
  }
  code_.scalar(Scalar::kAnd, kRax, kActive);
  const size_t nobody = code_.jump(When::kZero);
  code_.scalar(Scalar::kCompare, kRax, kActive);
  const size_t everybody = code_.jump(When::kZero);
  leave(op.index);
  code_.aim(everybody, code_.code.size());
  go_to(op, target);
  code_.aim(nobody, code_.code.size());
}

void Translator::predicate(Gpr to, const Guard& guard) {
  if ((guard.index & 7) == 7) return code_.constant(to, guard.inverted ? 0 : kAll);
  code_.load(to, of_predicate(guard.index));
  if (guard.inverted) code_.invert(to);
}

/// Changes `lanes`.
void Translator::set_predicate(uint8_t index, Gpr lanes, const Changes& on) {
  if ((index & 7) == 7) return;
  if (on.low != 0) {
    code_.load(kR10, of_predicate(index));
    code_.scalar(Scalar::kXor, lanes, kR10);
    code_.scalar(Scalar::kAnd, lanes, on.lanes);
    code_.scalar(Scalar::kXor, lanes, kR10);
  }
  code_.store(of_predicate(index), lanes);
}

void Translator::mask_half(Gpr lanes, int half) {
  if (half == 0) return code_.mask_from(kMask, lanes);
  code_.whole_mask_from(kMask, lanes);
  code_.mask_of_upper(kMask, kMask);
}

/// Puts a vector into a row. Whole rows are written: who reads one next would wait for a store under a mask
/// to reach memory.
void Translator::finish(uint32_t row, const Changes& on, int half, int vector) {
  constexpr int kOld = 31;
  const Place to = of_row(row, half);
  if (on.low != 0) {
    load(kOld, {to, row == kept_ ? kKept + half : -1});
    code_.vector(kCopyWords, kOld, 0, vector, on.of(half));
    vector = kOld;
  }
  code_.store(to, vector);
  if (keeps_) code_.vector(kCopyWords, kKept + half, 0, vector);
}

}  // namespace warplens::simt::sass_machine
