// Loads and stores of lanes that go anywhere in one allocation or in shared memory, by gathers and scatters.
#include <limits>

#include "warplens/run/sass/translation/translate_memory.h"

namespace warplens::simt::sass_machine {

/// Bytes of each lane from the beginning of shared memory.
void Translator::shared_places(const Op& op, const Changes& on, Jumps* slow) {
  const auto everywhere = [&](int vector, uint32_t value) {
    code_.constant(kScratch, value);
    code_.vector(kBroadcast, vector, 0, kScratch);
  };
  code_.load(kLane, of_warp(offsetof(Warp, shared_bytes)));
  code_.scalar(Scalar::kSubtract, kLane, op.size_bytes);
  slow->push_back(code_.jump(When::kBelow));
  code_.vector(kBroadcast, 5, 0, kLane);
  code_.load(kLane, of_warp(offsetof(Warp, rank_bits)));
  code_.vector(kBroadcast, 6, 0, kLane);
  everywhere(7, static_cast<uint32_t>(op.offset));
  everywhere(kFirst, op.size_bytes - 1u);
  for (const int half : {0, 1}) {
    const int place = kPlaces + half, result = kResultLow + half;
    code_.vector(kAddWords, place, 7, of_row(op.a.row, half));
    if (!is_zero(op.c)) code_.vector(kAddWords, place, place, of_row(op.c.row, half));
    code_.vector(kXorWords, place, place, 6);
    code_.vector(kCompareUnsigned, result, place, 5, on.of(half));
    code_.immediate(kLessOrEqual);
    code_.vector(kTestNot, result, place, kFirst, result);
  }
  slow->push_back(jump_unless_all(on));
  code_.load(kBase, of_warp(offsetof(Warp, shared)), true);
}

/// Low words of addresses, as signed numbers from kBase on, where they all lie in one allocation.
void Translator::global_places(const Op& op, const Changes& on, Jumps* slow) {
  const auto offset = static_cast<int32_t>(op.offset);
  constexpr int32_t kSign = std::numeric_limits<int32_t>::min();
  if (is_zero(op.c)) code_.scalar(Scalar::kXor, kBase, kBase);
  if (has_high_words(op)) {
    code_.shift_left(kUpperWord, 32, true);
    code_.scalar(Scalar::kAdd, kBase, kUpperWord, true);
  }
  if (offset != 0) code_.scalar(Scalar::kAdd, kBase, offset, true);
  code_.test_bits(kBase, static_cast<uint8_t>(op.size_bytes - 1));
  slow->push_back(code_.jump(When::kNotZero));
  // Where in it the allocation begins and its last word does.
  code_.load(kLane, of_reach(op, offsetof(Reach, begin)), true);
  code_.scalar(Scalar::kSubtract, kLane, kBase, true);
  slow->push_back(code_.jump(When::kBelow));
  code_.move_whole(kScratch, kLane);
  code_.shift_right(kScratch, 32, true);
  slow->push_back(code_.jump(When::kNotZero));
  code_.vector(kBroadcast, 5, 0, kLane);
  code_.load(kLane, of_reach(op, offsetof(Reach, end)), true);
  code_.scalar(Scalar::kSubtract, kLane, op.size_bytes, true);
  slow->push_back(code_.jump(When::kBelow));
  code_.scalar(Scalar::kSubtract, kLane, kBase, true);
  slow->push_back(code_.jump(When::kBelow));
  code_.move_whole(kScratch, kLane);
  code_.shift_right(kScratch, 32, true);
  const size_t near = code_.jump(When::kZero);
  code_.constant(kLane, kAll);
  code_.aim(near, code_.code.size());
  code_.vector(kBroadcast, 6, 0, kLane);
  code_.constant(kScratch, op.size_bytes - 1u);
  code_.vector(kBroadcast, kFirst, 0, kScratch);
  for (const int half : {0, 1}) {
    const int place = kPlaces + half, result = kResultLow + half;
    code_.load(place, of_row(op.a.row, half));
    code_.vector(kCompareUnsigned, result, place, 5, on.of(half));
    code_.immediate(kNotLess);
    code_.vector(kCompareUnsigned, result, place, 6, result);
    code_.immediate(kLessOrEqual);
    code_.vector(kTestNot, result, place, kFirst, result);
    code_.vector(kXorWords, place, place, constant(kTranslatorConstants.signs));
  }
  compare_rest(op, on);
  slow->push_back(jump_unless_all(on));
  code_.scalar(Scalar::kSubtract, kBase, kSign, true);
}

void Translator::load_scattered(const Op& op, const Changes& on) {
  const bool pairs = is_global(op) && op.size_bytes == 8;  // at once: see load_one
  if (pairs) {
    code_.load(28, constant(kTranslatorConstants.evens));
    code_.load(29, constant(kTranslatorConstants.odds));
  }
  for (const int half : {0, 1}) {
    const auto take_lanes = [&](uint8_t from) {
      if (on.low == 0) return code_.fill_mask(kMask);
      if (from == 0) return code_.copy_mask(kMask, on.of(half));
      code_.mask_of_upper(kMask, on.of(half), from);
    };
    if (pairs) {
      code_.vector(kUpper, kPlaces + half, 0, 7);
      code_.immediate(1);
      for (const int part : {0, 1}) {
        take_lanes(static_cast<uint8_t>(8 * part));
        code_.clear(part);
        code_.each_lane(kGatherPairs, part, kBase, part ? 7 : kPlaces + half, kMask, 0);
      }
      code_.vector(kCopyWords, 2, 0, 0);
      code_.vector(kPermuteTwo, 2, 28, 1);
      code_.vector(kPermuteTwo, 0, 29, 1);
      finish(op.target, on, half, 2);
      finish(op.target + 1, on, half, 0);
      continue;
    }
    for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
      take_lanes(0);
      code_.clear(0);
      code_.each_lane(kGather, 0, kBase, kPlaces + half, kMask, static_cast<int32_t>(4 * word));
      finish(op.target + word, on, half, 0);
    }
  }
}

/// In the order of simt::in_store_order, whose last writer wins: words from the last lane to the first, pairs so in one
/// half of the lanes after the other.
void Translator::store_scattered(const Op& op, const Changes& on) {
  constexpr int kOrder = 28, kOn = 27, kUpperPlaces = 7;
  const bool pairs = op.size_bytes == 8;
  code_.load(kOrder, constant(kTranslatorConstants.backwards));
  code_.vector(kBroadcast, kOn, 0, on.lanes);
  for (const int part : {0, 1}) {
    const int half = pairs ? part : 1 - part, place = kPlaces + half;
    code_.vector(kPermute, place, kOrder, place);
    code_.vector(kTestWords, kMask, kOn, constant(kTranslatorConstants.backward_bits + 16 * half));
    code_.load(0, of_row(op.b.row, half));
    if (!pairs) {
      code_.vector(kPermute, 0, kOrder, 0);
      code_.each_lane(kScatter, 0, kBase, place, kMask, 0);
      continue;
    }
    code_.load(1, of_row(op.b.row + 1, half));
    code_.load(29, constant(kTranslatorConstants.first_turns));
    code_.load(30, constant(kTranslatorConstants.second_turns));
    code_.vector(kCopyWords, 2, 0, 0);
    code_.vector(kPermuteTwo, 2, 29, 1);
    code_.vector(kPermuteTwo, 0, 30, 1);
    code_.load(29, constant(kTranslatorConstants.backward_pairs));
    for (const int pair : {0, 2}) code_.vector(kPermutePairs, pair, 29, pair);
    code_.vector(kUpper, place, 0, kUpperPlaces);
    code_.immediate(1);
    code_.mask_of_upper(kResultLow, kMask, 8);
    code_.each_lane(kScatterPairs, 0, kBase, place, kMask, 0);
    code_.each_lane(kScatterPairs, 2, kBase, kUpperPlaces, kResultLow, 0);
  }
}

}  // namespace warplens::simt::sass_machine
