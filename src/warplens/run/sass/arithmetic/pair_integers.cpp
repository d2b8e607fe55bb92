#include "warplens/run/sass/arithmetic/pair_integers.h"

#include "warplens/run/sass/arithmetic/compare.h"
#include "warplens/run/sass/lanes.h"

namespace warplens::simt::sass_machine {
namespace {

/// An immediate of 32 bits, extended by its sign.
Operand sign_extended_immediate(Decoder& d, const Word& word) {
  return d.immediate(word.immediate(), word.bit(63) ? ~0u : 0);
}

/// The sources a and b of 64 bits of an instruction whose forms are those of arithmetic.
void pair_operands(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.is(Form::kImmediateB)) op.b = sign_extended_immediate(d, op.word);
}

bool since_pairs(const Decoder& d) { return d.program().architecture >= kFirstWithPairs; }

void move(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  map_pair(w, op, on, [=](int i) { return wide(b, i); });
}

void select(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), chosen = w.value(op.p);
  map_pair(w, op, on, [=](int i) { return wide(chosen >> i & 1 ? a : b, i); });
}

/// Lanes where a is less than b, and where they are the same.
struct Order {
  uint32_t less = 0, same = 0;
};
Order order_of(const Warp& w, const Op& op, bool is_signed) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const uint64_t flip = is_signed ? uint64_t{1} << 63 : 0;
  Order out;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t x = wide(a, i) ^ flip, y = wide(b, i) ^ flip;
    out.less |= static_cast<uint32_t>(x < y) << i;
    out.same |= static_cast<uint32_t>(x == y) << i;
  }
  return out;
}

constexpr int kSignedAt = 73, kRelationAt = 76;

void compare(Warp& w, const Op& op, uint32_t on) {
  const Order order = order_of(w, op, op.word.bit(kSignedAt));
  const uint32_t relation = op.word.bits(kRelationAt, 3), more = ~(order.less | order.same);  // a bit each: <, ==, >
  const uint32_t holds = (relation & 1 ? order.less : 0) | (relation & 2 ? order.same : 0) | (relation & 4 ? more : 0);
  finish_compare(w, op, holds, on);
}

void extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), smaller = w.value(op.p);
  const uint32_t first = ~(order_of(w, op, op.word.bit(kSignedAt)).less ^ smaller);
  map_pair(w, op, on, [=](int i) { return wide(first >> i & 1 ? a : b, i); });
}

/// Sums of two, with a carry out and one in.
template <bool kPair>
void add(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const uint64_t mask = kPair ? ~uint64_t{0} : ~0u, fa = op.mode & kNegateA ? mask : 0,
                 fb = op.mode & kNegateB ? mask : 0;
  const bool extended = op.mode & kExtended;
  const uint32_t in = extended ? w.value(op.p) : 0, ones = extended ? 0 : (fa != 0) + (fb != 0);
  uint32_t carries = 0;
  const auto sum = [&](int i) {
    const uint64_t x = (kPair ? wide(a, i) : a[i]) ^ fa, y = (kPair ? wide(b, i) : b[i]) ^ fb;
    const uint64_t two = (x + y) & mask, all = (two + ones + (in >> i & 1)) & mask;
    carries |= static_cast<uint32_t>(two < x || all < two) << i;
    return all;
  };
  if constexpr (kPair) {
    map_pair(w, op, on, sum);
  } else {
    Lanes out;
    for (int i = 0; i < kLanes; ++i) out.value[i] = static_cast<uint32_t>(sum(i));
    store(w.row(op.target), out, on);
  }
  w.set(op.set0, carries, on);
}

bool prepare_add(Decoder& d, Op& op) {
  const bool is_pair = op.word.bit(73);
  pair_operands(d, op);
  if (op.word.bit(72)) op.mode |= kNegateA;
  if (op.word.negates_low()) op.mode |= kNegateB;
  if (op.word.bit(74)) op.mode |= kExtended;
  op.run = is_pair ? add<true> : add<false>;
  return !is_pair || !op.word.is(Form::kConstantB);
}

/// Sums of three, on uniform registers, with two carries in and out.
void add_three(Warp& w, const Op& op, uint32_t) {
  const size_t lane = w.some_lane();
  const bool extended = op.mode & kExtended;
  const auto bit = [&](const Guard& g) { return extended ? w.value(g) >> lane & 1 : 0; };
  uint64_t sum = bit(op.p);
  uint32_t carries = 0;
  const auto put = [&](uint64_t value) {
    sum += value;
    carries += sum < value;
  };
  put(bit(op.q));
  const Operand* sources[] = {&op.a, &op.b, &op.c};
  constexpr uint32_t kNegated[] = {kNegateA, kNegateB, kNegateC};
  for (int k = 0; k < 3; ++k) {
    const uint64_t value = wide(w.in(*sources[k]), static_cast<int>(lane));
    put(op.mode & kNegated[k] ? ~value : value);
    if ((op.mode & kNegated[k]) && !extended) put(1);
  }
  uint32_t* rows = w.row(op.target);
  for (int i = 0; i < kLanes; ++i) {
    rows[i] = static_cast<uint32_t>(sum);
    rows[kLanes + i] = static_cast<uint32_t>(sum >> 32);
  }
  w.set(op.set0, carries >= 1 ? kAll : 0, kAll);
  w.set(op.set1, carries >= 2 ? kAll : 0, kAll);
}
bool prepare_add_three(Decoder& d, Op& op) {
  pair_operands(d, op);
  if (op.word.negates_a()) op.mode |= kNegateA;
  if (op.word.negates_b()) op.mode |= kNegateB;
  if (op.word.negates_c()) op.mode |= kNegateC;
  if (op.word.bit(74)) op.mode |= kExtended;
  op.run = add_three;
  return !op.word.bit(73) && !op.word.holds_c_low();
}

}  // namespace

// With 64 bits of an immediate, or a bit that says so.
constexpr int kPairMoveAt = 80;
bool is_pair_move(const Decoder& d, const Op& op) {
  return since_pairs(d) && (op.word.is(Form::kImmediateC) || op.word.bit(kPairMoveAt));
}
bool prepare_pair_move(Decoder& d, Op& op) {
  const Word& word = op.word;
  if (word.is(Form::kImmediateC)) {
    op.b = d.immediate(word.bits(24, 32), word.bits(56, 8) | word.bits(64, 24) << 8);
    op.run = load_known;
    d.load_constants(op, 2);
    return true;
  }
  d.operands(op);
  op.run = move;
  return !word.has_immediate() && !word.is(Form::kConstantB);
}

// The second source may be a register, a uniform one or an immediate of 33 bits: forms that the narrow one has not.
bool is_pair_select(const Decoder& d, const Op& op) {
  return since_pairs(d) && (op.word.holds_c_low() || (op.uniform && op.word.is(Form::kUniformB)));
}
bool prepare_pair_select(Decoder& d, Op& op) {
  constexpr int kUpperAt = 64;  // the immediate's sign
  const Word& word = op.word;
  const uint32_t number = word.source_low();
  op.a = op.uniform ? d.uniform(word.source_a()) : d.source(word.source_a());
  if (word.is(Form::kImmediateC)) op.b = d.immediate(word.immediate(), word.bit(kUpperAt) ? ~0u : 0);
  else op.b = op.uniform || word.is(Form::kUniformC) ? d.uniform(number) : d.source(number);
  op.run = select;
  return !word.is(Form::kImmediateC) || word.bits(kUpperAt + 1, 7) == 0;
}

bool is_pair_compare(const Decoder& d, const Op& op) { return since_pairs(d) && op.word.bit(80); }
bool prepare_pair_compare(Decoder& d, Op& op) {
  pair_operands(d, op);
  op.run = compare;
  return !op.word.bit(72) && !op.word.is(Form::kConstantB);  // the bit: .EX
}

bool is_pair_extreme(const Decoder& d, const Op& op) { return since_pairs(d) && op.word.bit(74); }
bool prepare_pair_extreme(Decoder& d, Op& op) {
  pair_operands(d, op);
  op.run = extreme;
  const bool chained = (op.q.index & 7) != 7 || !op.q.inverted || (op.set0 & 7) != 7 || (op.set1 & 7) != 7;
  return !chained && !op.word.is(Form::kConstantB);
}

const Row kPairRows[] = {
    {Opcode::kIadd, prepare_add},
    {Opcode::kUiadd64, prepare_add_three},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
