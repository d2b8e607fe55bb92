// What loads and stores of global and shared memory become: lanes in a row, loads from one address, and loads of words
// from anywhere in one allocation (translate_scattered.cpp). Anything else, and whatever may be wrong with an access,
// is left to the handler.
#include "warplens/run/sass/translation/translate_memory.h"

#include <algorithm>

namespace warplens::simt::sass_machine {
void Translator::memory(const Op& op, const Changes& on) {
  const bool stores = is_store(op), loads_words = !stores && op.size_bytes >= 4;
  const bool learns = whole_ && (loads_words || (stores && (op.size_bytes == 4 || op.size_bytes == 8)));
  Jumps slow, done, learn;
  Changes lanes = on;
  if (learns) as_before(op, on, &done);
  if (stores && op.size_bytes == 16 && on.low != 0) {  // all of them or none
    code_.scalar(Scalar::kCompare, on.lanes, -1);
    slow.push_back(code_.jump(When::kNotZero));
    lanes = {};
    lanes.lanes = on.lanes;
  }
  const size_t no_run = unless_row(op, lanes);
  whole_address(op, kLanes * op.size_bytes, &slow);
  if (is_global(op)) fetch_ahead(op);
  stores ? store_run(op, lanes) : load_run(op, lanes);
  done.push_back(code_.jump());
  code_.aim(no_run, code_.code.size());
  if (loads_words) {
    if (lanes.low != 0) code_.scalar(Scalar::kAdd, kAddress, kAhead);
    const size_t no_one = unless_one(op, lanes);
    whole_address(op, op.size_bytes, &slow);
    load_one(op, lanes);
    done.push_back(code_.jump());
    code_.aim(no_one, code_.code.size());
    if (learns) learn_soon(op, lanes, &learn);
    is_global(op) ? global_places(op, lanes, &slow) : shared_places(op, lanes, &slow);
    load_scattered(op, lanes);
    done.push_back(code_.jump());
  } else if (stores && (op.size_bytes == 4 || op.size_bytes == 8)) {
    if (learns) learn_soon(op, lanes, &learn);
    is_global(op) ? global_places(op, lanes, &slow) : shared_places(op, lanes, &slow);
    store_scattered(op, lanes);
    done.push_back(code_.jump());
  }
  for (uint32_t word = 0; !stores && word < (op.size_bytes + 3u) / 4; ++word) forget(op.target + word);
  learn_pattern_of(op, learn);
  aim_here(slow);
  call(op);
  aim_here(done);
}

/// Jumps unless the lanes are in a row; the address is then what lane 0 has or would have.
size_t Translator::unless_row(const Op& op, const Changes& on) {
  first_address(op, on);
  if (on.low != 0) code_.scalar(Scalar::kSubtract, kAddress, kAhead);
  code_.vector(kBroadcast, kFirst, 0, kAddress);
  const uint32_t* steps = kTranslatorConstants.steps[doublings(op)];
  for (const int half : {0, 1}) {
    code_.vector(kAddWords, kTried, kFirst, constant(steps + 16 * half));
    code_.vector(kCompareSigned, kResultLow + half, kTried, of_row(op.a.row, half), on.of(half));
    code_.immediate(kEqual);
  }
  compare_rest(op, on);
  return jump_unless_all(on);
}
/// Jumps unless all have the address of the first.
size_t Translator::unless_one(const Op& op, const Changes& on) {
  code_.vector(kBroadcast, kFirst, 0, kAddress);
  compare_row(kFirst, op.a.row, on, true);
  compare_rest(op, on);
  return jump_unless_all(on);
}

/// The words that the first of the lanes has for an address, and in vectors those that all must have.
void Translator::first_address(const Op& op, const Changes& on) {
  if (on.low != 0) code_.first_bit(kLane, on.lanes);
  const auto load = [&](Gpr to, uint32_t row) {
    on.low == 0 ? code_.load(to, of_row(row, 0)) : code_.load_indexed(to, of_row(row, 0), kLane);
  };
  load(kAddress, op.a.row);
  if (has_high_words(op)) {
    load(kUpperWord, op.a.row + 1);
    code_.vector(kBroadcast, kFirstHigh, 0, kUpperWord);
  }
  if (!is_zero(op.c)) {
    load(kRsi, op.c.row);
    code_.vector(kBroadcast, kFirstBase, 0, kRsi);
    code_.move_whole(kBase, kRsi);
    if (is_global(op)) {
      load(kRsi, op.c.row + 1);
      code_.vector(kBroadcast, kFirstBaseHigh, 0, kRsi);
      code_.shift_left(kRsi, 32, true);
      code_.scalar(Scalar::kOr, kBase, kRsi, true);
    }
  }
  if (on.low == 0) return;
  code_.scalar(Scalar::kMove, kAhead, kLane);
  code_.shift_left(kAhead, doublings(op));
}

/// Leaves in the result masks the lanes whose word of a row is that of a vector.
void Translator::compare_row(int vector, uint32_t row, const Changes& on, bool first) {
  for (const int half : {0, 1}) {
    const int result = kResultLow + half;
    code_.vector(kCompareSigned, result, vector, of_row(row, half), first ? on.of(half) : result);
    code_.immediate(kEqual);
  }
}
void Translator::compare_rest(const Op& op, const Changes& on) {
  if (has_high_words(op)) compare_row(kFirstHigh, op.a.row + 1, on, false);
  if (is_zero(op.c)) return;
  compare_row(kFirstBase, op.c.row, on, false);
  if (is_global(op)) compare_row(kFirstBaseHigh, op.c.row + 1, on, false);
}
size_t Translator::jump_unless_all(const Changes& on) {
  code_.join_masks(kMask, kResultLow, kResultHigh);
  code_.register_from(kRsi, kMask);
  code_.scalar(Scalar::kCompare, kRsi, on.lanes);
  return code_.jump(When::kNotZero);
}

/// The address of host memory for `bytes` from the first lane's words on.
void Translator::whole_address(const Op& op, uint32_t bytes, Jumps* slow) {
  if (is_global(op)) {
    code_.scalar(Scalar::kCompare, kAddress, static_cast<int32_t>(~bytes));  // the low words might carry
    slow->push_back(code_.jump(When::kAbove));
  }
  first_place(op, slow);
  bytes_left(op, slow);
  code_.scalar(Scalar::kCompare, kLane, static_cast<int32_t>(bytes), is_global(op));
  slow->push_back(code_.jump(When::kBelow));
  host_address(op, slow);
}

/// The GPU's address of the first lane: aligned, of shared memory from its beginning.
void Translator::first_place(const Op& op, Jumps* slow) {
  const auto offset = static_cast<int32_t>(op.offset);
  if (has_high_words(op)) {
    code_.shift_left(kUpperWord, 32, true);
    code_.scalar(Scalar::kOr, kAddress, kUpperWord, true);
  }
  if (!is_zero(op.c)) code_.scalar(Scalar::kAdd, kAddress, kBase, is_global(op));
  if (offset != 0) code_.scalar(Scalar::kAdd, kAddress, offset, is_global(op));
  if (!is_global(op)) code_.scalar(Scalar::kXor, kAddress, of_warp(offsetof(Warp, rank_bits)));
  if (op.size_bytes > 1) {
    code_.test_bits(kAddress, static_cast<uint8_t>(op.size_bytes - 1));
    slow->push_back(code_.jump(When::kNotZero));
  }
}

/// In kLane, the bytes from the address to the end of shared memory, or of the allocation that the instruction went to
/// last. To `slow` where there are none.
void Translator::bytes_left(const Op& op, Jumps* slow) {
  const bool global = is_global(op);
  code_.load(kLane, global ? of_reach(op, offsetof(Reach, end)) : of_warp(offsetof(Warp, shared_bytes)), global);
  code_.scalar(Scalar::kSubtract, kLane, kAddress, global);
  slow->push_back(code_.jump(When::kBelow));
}

/// To `slow` where the address lies before that allocation.
void Translator::host_address(const Op& op, Jumps* slow) {
  if (!is_global(op)) return code_.scalar(Scalar::kAdd, kAddress, of_warp(offsetof(Warp, shared)), true);
  code_.scalar(Scalar::kCompare, kAddress, of_reach(op, offsetof(Reach, begin)), true);
  slow->push_back(code_.jump(When::kBelow));
}

/// The bytes from the instruction's last address to this one.
void Translator::step_from_last(const Op& op, Gpr step) {
  const Place last = of_reach(op, offsetof(Reach, last));
  code_.move_whole(step, kAddress);
  code_.scalar(Scalar::kSubtract, step, last, true);
  code_.store(last, kAddress, true);
}

/// Rows that lie far apart come from memory one by one: the CPU is told of those that would follow at this distance.
void Translator::fetch_ahead(const Op& op) {
  constexpr int32_t kLineBytes = 64, kMost = 4 * kLineBytes;
  step_from_last(op, kUpperWord);
  for (int32_t at = 0; at < std::min<int32_t>(kLanes * op.size_bytes, kMost); at += kLineBytes)
    code_.prefetch(kAddress, kUpperWord, at);
}

void Translator::load_run(const Op& op, const Changes& on) {
  const uint32_t row = op.target;
  const auto at = [&](int vector) { return Place{kAddress, 64 * vector}; };
  if (op.size_bytes >= 8) {
    code_.load(28, constant(kTranslatorConstants.evens));
    code_.load(29, constant(kTranslatorConstants.odds));
  }
  /// Vectors `even` and `odd`: every second word of `odd` and `second`.
  const auto part = [&](int even, int odd, int second) {
    code_.vector(kCopyWords, even, 0, odd);
    code_.vector(kPermuteTwo, even, 28, second);
    code_.vector(kPermuteTwo, odd, 29, second);
  };
  for (const int half : {0, 1}) {
    if (op.size_bytes < 4) {
      const VectorOp byte = op.sign_extend ? kLoadSignedBytes : kLoadBytes,
                     two = op.sign_extend ? kLoadSignedHalves : kLoadHalves;
      code_.vector(op.size_bytes == 1 ? byte : two, 0, 0, {kAddress, 16 * op.size_bytes * half});
      finish(row, on, half, 0);
    } else if (op.size_bytes == 4) {
      code_.load(0, at(half));
      finish(row, on, half, 0);
    } else if (op.size_bytes == 8) {
      for (const int k : {0, 1}) code_.load(k, at(2 * half + k));
      part(2, 0, 1);
      finish(row, on, half, 2);
      finish(row + 1, on, half, 0);
    } else {
      for (const int k : {0, 1, 2, 3}) code_.load(k, at(4 * half + k));
      part(4, 0, 1);
      part(5, 2, 3);
      part(6, 4, 5);
      part(7, 0, 2);
      constexpr int kWords[] = {6, 7, 4, 0};
      for (uint32_t word = 0; word < 4; ++word) finish(row + word, on, half, kWords[word]);
    }
  }
}

void Translator::store_run(const Op& op, const Changes& on) {
  for (const int half : {0, 1}) store_half(op, on, half, kAddress, 16 * op.size_bytes * half);
}

/// Lanes of one half, in a row from a place in memory on.
void Translator::store_half(const Op& op, const Changes& on, int half, Gpr base, int32_t at) {
  const auto part = [&](int vector) { return Place{base, at + 64 * vector}; };
  const auto word = [&](int to, uint32_t number) { code_.load(to, of_row(op.b.row + number, half)); };
  if (op.size_bytes >= 8) {
    code_.load(28, constant(kTranslatorConstants.first_turns));
    code_.load(29, constant(kTranslatorConstants.second_turns));
  }
  /// Words of vectors `second` and `other` in turn: first those of their lower halves.
  const auto join = [&](int first, int second, int other) {
    code_.vector(kCopyWords, first, 0, second);
    code_.vector(kPermuteTwo, first, 28, other);
    code_.vector(kPermuteTwo, second, 29, other);
  };
  word(0, 0);
  if (op.size_bytes < 4) {
    code_.vector(op.size_bytes == 1 ? kStoreBytes : kStoreHalves, 0, 0, part(0), on.of(half));
  } else if (op.size_bytes == 4) {
    code_.vector(kStoreWords, 0, 0, part(0), on.of(half));
  } else if (op.size_bytes == 8) {
    word(1, 1);
    join(2, 0, 1);
    if (on.low != 0) code_.mask_of_upper(kMask, on.of(half), 8);
    code_.vector(kStorePairs, 2, 0, part(0), on.of(half));
    code_.vector(kStorePairs, 0, 0, part(1), on.low != 0 ? kMask : 0);
  } else {
    for (const int k : {1, 2, 3}) word(k, static_cast<uint32_t>(k));
    join(4, 0, 2);
    join(5, 1, 3);
    join(6, 4, 5);
    join(7, 0, 1);
    constexpr int kParts[] = {6, 4, 7, 0};
    for (const int k : {0, 1, 2, 3}) code_.store(part(k), kParts[k]);
  }
}

void Translator::load_one(const Op& op, const Changes& on) {
  for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
    if (op.size_bytes != 8) {
      code_.vector(kRepeatWord, 0, 0, {kAddress, static_cast<int32_t>(4 * word)});
    } else if (word == 0) {  // at once: other threads of this computer may write it meanwhile
      code_.load(kUpperWord, {kAddress, 0}, true);
      code_.vector(kBroadcast, 0, 0, kUpperWord);
    } else {
      code_.shift_right(kUpperWord, 32, true);
      code_.vector(kBroadcast, 0, 0, kUpperWord);
    }
    for (const int half : {0, 1}) finish(op.target + word, on, half, 0);
  }
}

}  // namespace warplens::simt::sass_machine
