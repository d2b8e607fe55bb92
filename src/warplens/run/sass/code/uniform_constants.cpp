#include "warplens/run/sass/code/uniform_constants.h"

#include <algorithm>

#include "warplens/run/sass/known_words.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/memory.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {
namespace {

void load(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const ConstantBanks& constants = *w.block->run->constants;
  const uint64_t at = static_cast<uint64_t>(op.offset) + w.in(op.a)[w.some_lane()];
  if (!is_known_word(constants, op.mode, at))
    return w.block->fail(Stop::Kind::kUnsupported, described(op) + " reads " + unknown_word(at));
  if (op.size_bytes < 4) {
    const uint32_t bits = 8u * op.size_bytes, unused = 32 - bits;
    const uint32_t value = constants.word(op.mode, at) << unused;
    const uint32_t filled =
        op.sign_extend ? static_cast<uint32_t>(static_cast<int32_t>(value) >> unused) : value >> unused;
    std::fill_n(w.row(op.target), kLanes, filled);
    return;
  }
  for (uint32_t k = 0; k < op.size_bytes / 4u; ++k)
    std::fill_n(w.row(op.target) + k * kLanes, kLanes, constants.word(op.mode, at + 4 * k));
}

bool prepare(Decoder& d, Op& op) {
  const Word& word = op.word;
  const uint32_t index = word.bits(24, 8), target = word.bits(16, 8);
  op.a = d.uniform(index);
  op.mode = word.bits(54, 5);
  op.offset = word.bits(37, 17);
  op.run = load;
  const bool indexed = index != kRegisterZero;
  if (!set_size(op) || word.form() != 3 || !word.bit(91)) return false;
  return d.are_uniform(target, op.size_bytes / 4u) && (!indexed || d.are_uniform(index, 1));
}

}  // namespace

const Row kUniformConstantRows[] = {
    {Opcode::kLdcu, prepare},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
