// Logic of three inputs: one handler a truth table.
#include <array>
#include <utility>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Bit 4a + 2b + c of the table says what the inputs' bits a, b and c give.
template <uint32_t kTable>
inline __attribute__((always_inline)) uint32_t logic(uint32_t a, uint32_t b, uint32_t c) {
  // Where a is set the upper half of the table holds, else the lower.
  constexpr auto of_two = [](uint32_t table, uint32_t x, uint32_t y) -> uint32_t {
    switch (table) {
      case 0: return 0;
      case 1: return ~(x | y);
      case 2: return ~x & y;
      case 3: return ~x;
      case 4: return x & ~y;
      case 5: return ~y;
      case 6: return x ^ y;
      case 7: return ~(x & y);
      case 8: return x & y;
      case 9: return ~(x ^ y);
      case 10: return y;
      case 11: return ~x | y;
      case 12: return x;
      case 13: return x | ~y;
      case 14: return x | y;
      default: return ~0u;
    }
  };
  constexpr uint32_t kUpper = kTable >> 4, kLower = kTable & 15;
  if constexpr (kUpper == kLower) return of_two(kUpper, b, c);
  else return (a & of_two(kUpper, b, c)) | (~a & of_two(kLower, b, c));
}

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
  Lanes out{};
  for (uint32_t k = 0; k < 8; ++k) {
    if (!(op.mode >> k & 1)) continue;
    const uint32_t fa = k & 4 ? 0 : kAll, fb = k & 2 ? 0 : kAll, fc = k & 1 ? 0 : kAll;
    for (int i = 0; i < kLanes; ++i) out.value[i] |= (a[i] ^ fa) & (b[i] ^ fb) & (c[i] ^ fc);
  }
  const uint32_t nonzero = mask_of(out), with = w.value(op.p);
  w.set(op.set0, op.word.bit(80) ? nonzero & with : nonzero | with, on);
  store(w.row(op.target), out, on);
}

bool prepare_lop3(Decoder& d, Op& op) {
  d.operands(op);
  op.mode = op.word.bits(72, 8);
  op.run = (op.set0 & 7) != 7 ? lop3_tested : kHandlers[op.mode];
  return true;
}

}  // namespace

const Row kTableRows[] = {
    {Opcode::kLop3, prepare_lop3},
    {Opcode::kUlop3, prepare_lop3},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
