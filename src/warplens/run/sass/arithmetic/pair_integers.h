// Integers of 64 bits, in pairs of registers: 64-bit forms of moves, selections and compares of compute
// capability 11.0 and later (12.0 too). Each prepares that form of its instruction; false: an unknown
// form.
#pragma once
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine {

inline constexpr int kFirstWithPairs = 110;

bool is_pair_move(const Decoder& decoder, const Op& op);
bool prepare_pair_move(Decoder& decoder, Op& op);

bool is_pair_select(const Decoder& decoder, const Op& op);
bool prepare_pair_select(Decoder& decoder, Op& op);

bool is_pair_compare(const Decoder& decoder, const Op& op);
bool prepare_pair_compare(Decoder& decoder, Op& op);

bool is_pair_extreme(const Decoder& decoder, const Op& op);
bool prepare_pair_extreme(Decoder& decoder, Op& op);

}  // namespace warplens::simt::sass_machine
