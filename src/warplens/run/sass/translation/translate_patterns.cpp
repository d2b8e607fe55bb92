// Loads and stores of whole warps whose lanes lie as in an earlier request: see lane_pattern.h.
#include <cstddef>

#include "warplens/run/sass/lane_pattern.h"
#include "warplens/run/sass/translation/translate_memory.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr Gpr kPattern = kScratch;
Place of_pattern(const Op& op, size_t offset) {
  return {kPattern, static_cast<int32_t>(op.access * sizeof(LanePattern) + offset)};
}
Place of_half(const Op& op, size_t offset, int half, size_t bytes) {
  return of_pattern(op, offset + static_cast<size_t>(half) * bytes);
}
Place known(const Op& op) {
  return of_pattern(op, is_store(op) ? offsetof(LanePattern, stores) : offsetof(LanePattern, loads));
}

}  // namespace

/// Jumps where the lanes, whose first one has the word kFirst, lie in another way.
size_t Translator::unless_as_before(const Op& op, const Changes& on) {
  code_.load(kPattern, of_warp(offsetof(Warp, patterns)), true);
  for (const int half : {0, 1}) {
    code_.vector(kAddWords, kTried, kFirst, of_half(op, offsetof(LanePattern, distance), half, sizeof(Lanes) / 2));
    code_.vector(kCompareSigned, kResultLow + half, kTried, of_row(op.a.row, half));
    code_.immediate(kEqual);
  }
  compare_rest(op, on);
  return jump_unless_all(on);
}

/// A request to shared memory.
void Translator::count_as_before(const Op& op, const Changes& on) {
  constexpr int kExtra = 5;
  if (op.guarded) count_on(op, on.lanes);
  code_.load(kPattern, of_warp(offsetof(Warp, patterns)), true);
  code_.add_to(of_pattern(op, offsetof(LanePattern, times)), 1);
  code_.vector(kRepeatPairFour, kExtra, 0, of_pattern(op, offsetof(LanePattern, extra_cycles)));
  issue(op, {.extra_vector = kExtra});
}

/// The host's address of both windows, from the first lane's words on.
void Translator::windows_address(const Op& op, Jumps* otherwise) {
  const bool global = is_global(op);
  if (global) {  // the low words might carry
    for (const bool end : {false, true}) {
      if (!end) code_.move_whole(kLane, kAddress);
      const size_t by = end ? offsetof(LanePattern, size_bytes) : offsetof(LanePattern, begin);
      code_.scalar(Scalar::kAdd, kLane, of_pattern(op, by), true);
      code_.move_whole(kAhead, kLane);
      code_.shift_right(kAhead, 32, true);
      otherwise->push_back(code_.jump(When::kNotZero));
    }
  }
  first_place(op, otherwise);
  code_.scalar(Scalar::kAdd, kAddress, of_pattern(op, offsetof(LanePattern, begin)), global);
  bytes_left(op, otherwise);
  code_.scalar(Scalar::kCompare, kLane, of_pattern(op, offsetof(LanePattern, size_bytes)), global);
  otherwise->push_back(code_.jump(When::kBelow));
  host_address(op, otherwise);
}

/// Moves lanes that lie as before, if their windows are known and lie where they may.
void Translator::move_as_before(const Op& op, Jumps* otherwise) {
  constexpr int kIndex = 28, kFirstVector = 0, kTaken = 1;
  code_.compare_byte(known(op), 0);
  otherwise->push_back(code_.jump(When::kZero));
  windows_address(op, otherwise);
  if (is_global(op)) step_from_last(op, kAhead);
  for (const int turn : {0, 1}) {
    const int half = is_store(op) && op.size_bytes == 4 ? 1 - turn : turn;  // as store_scattered does
    code_.move_whole(kLane, kAddress);
    code_.scalar(Scalar::kAdd, kLane, of_half(op, offsetof(LanePattern, starts), half, sizeof(int64_t)), true);
    if (is_global(op)) code_.prefetch(kLane, kAhead, 0);
    if (is_store(op)) {
      store_half(op, {}, half, kLane, 0);
      continue;
    }
    code_.load(kFirstVector, {kLane, 0});
    code_.scalar(Scalar::kAdd, kLane, of_half(op, offsetof(LanePattern, seconds), half, sizeof(int64_t)), true);
    code_.load(kIndex, of_half(op, offsetof(LanePattern, words), half, sizeof(Lanes) / 2));
    for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
      if (word != 0) code_.vector(kAddWords, kIndex, kIndex, constant(kTranslatorConstants.ones));
      code_.vector(kCopyWords, kTaken, 0, kFirstVector);
      code_.vector(kPermuteTwo, kTaken, kIndex, {kLane, 0});
      finish(op.target + word, {}, half, kTaken);
    }
  }
}

/// Goes on behind it where the lanes lie in another way.
void Translator::as_before(const Op& op, const Changes& on, Jumps* done) {
  Jumps otherwise;
  if (on.low != 0) {
    code_.scalar(Scalar::kCompare, on.lanes, -1);
    otherwise.push_back(code_.jump(When::kNotZero));
  }
  code_.load(kPattern, of_warp(offsetof(Warp, patterns)), true);
  code_.compare_byte(known(op), 0);
  otherwise.push_back(code_.jump(When::kZero));
  Changes all;
  all.lanes = on.lanes;
  first_address(op, all);
  code_.vector(kBroadcast, kFirst, 0, kAddress);
  otherwise.push_back(unless_as_before(op, all));
  move_as_before(op, &otherwise);
  done->push_back(code_.jump());
  aim_here(otherwise);
}

/// Jumps to where the pattern of this request is taken, for those to come.
void Translator::learn_soon(const Op& op, const Changes& on, Jumps* learn) {
  size_t some = 0;
  if (on.low != 0) {
    code_.scalar(Scalar::kCompare, on.lanes, -1);
    some = code_.jump(When::kNotZero);
  }
  code_.load(kPattern, of_warp(offsetof(Warp, patterns)), true);
  code_.add_to(of_pattern(op, offsetof(LanePattern, until_learned)), -1);
  learn->push_back(code_.jump(When::kZero));
  if (on.low != 0) code_.aim(some, code_.code.size());
}

void Translator::learn_pattern_of(const Op& op, const Jumps& learn) {
  if (learn.empty()) return;
  aim_here(learn);
  code_.move_whole(kRdi, kWarp);
  code_.address(kRsi, &op);
  code_.address(kRax, reinterpret_cast<const void*>(learn_pattern));
  code_.call(kRax);
}

}  // namespace warplens::simt::sass_machine
