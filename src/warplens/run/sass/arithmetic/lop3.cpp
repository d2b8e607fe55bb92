// Logic of three inputs: one handler a truth table.
#include <array>
#include <utility>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/bits.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

template <uint32_t kTable>
void lop3(Warp& w, const Op& op, uint32_t on) {
  map(w, op, on, [](uint32_t a, uint32_t b, uint32_t c) { return logic<kTable>(a, b, c); });
}

template <size_t... kTables>
constexpr std::array<Handler, 256> every_table(std::index_sequence<kTables...>) {
  return {lop3<static_cast<uint32_t>(kTables)>...};
}
constexpr std::array<Handler, 256> kHandlers = every_table(std::make_index_sequence<256>());

/// With a predicate for a result that is not zero.
void lop3_tested(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const uint32_t table = op.mode;
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = logic(table, a[i], b[i], c[i]);
  const uint32_t nonzero = mask_of(out), with = w.value(op.p);
  w.set(op.set0, op.word.bit(80) ? nonzero & with : nonzero | with, on);
  store(w.row(op.target), out, on);
}

bool prepare_lop3(Decoder& d, Op& op) {
  d.operands(op);
  op.mode = op.word.bits(72, 8);
  op.run = (op.set0 & 7) != 7 ? lop3_tested : kHandlers[op.mode];
  op.native = (op.set0 & 7) != 7 ? Native::kLogicTested : Native::kLogic;
  return true;
}

}  // namespace

const Row kTableRows[] = {
    {Opcode::kLop3, prepare_lop3},
    {Opcode::kUlop3, prepare_lop3},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
