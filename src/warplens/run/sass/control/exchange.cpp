// What lanes tell each other, and what they ask of the launch: special registers, shuffles, votes, matches, reductions.
#include <algorithm>
#include <bit>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/launch_state.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Of the thread and of the block: the others are constants.
void thread_index(Warp& w, const Op& op, uint32_t on) {
  store(w.row(op.target), w.thread[op.mode], op.uniform ? kAll : on);
}
void block_index(Warp& w, const Op& op, uint32_t on) {
  const uint32_t value = w.block->index[op.mode];
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, op.uniform ? kAll : on);
}
void block_rank(Warp& w, const Op& op, uint32_t on) {
  Lanes out;
  for (uint32_t& lane : out.value) lane = w.block->rank;
  store(w.row(op.target), out, op.uniform ? kAll : on);
}
void same_everywhere(Warp& w, const Op& op, uint32_t on) {
  Lanes out;
  copy_lanes(out.value, w.in(op.b));
  store(w.row(op.target), out, op.uniform ? kAll : on);
}
uint32_t special_value(uint32_t number, uint32_t lane) {
  switch (number) {
    case 0x00: return lane;
    case 0x2e: return static_cast<uint32_t>(simt::kLocalWindow >> 32);
    case 0x2f: return static_cast<uint32_t>(simt::kSharedWindow >> 32);
    case 0x38: return 1u << lane;
    case 0x39: return (1u << lane) - 1;
    case 0x3a: return (2u << lane) - 1;
    case 0x3b: return ~((2u << lane) - 1);
    case 0x3c: return ~((1u << lane) - 1);
    default: return 0;  // among them identifiers of hardware
  }
}
/// Clocks say how long the warp would have run by itself, its memory answering from DRAM.
enum Timer : uint32_t { kClockLow = 0x50, kClockHigh = 0x51, kGlobalLow = 0x52, kGlobalHigh = 0x53 };
uint64_t timer_value(const Warp& w, const Op& op, bool nanoseconds) {
  const auto cycles = static_cast<uint64_t>(w.clock->now_within(w.block->run->schedules[op.index].before));
  constexpr uint64_t kNs = 4, kCycles = 7;  // at 1.75 GHz
  return nanoseconds ? cycles * kNs / kCycles : cycles;
}
void read_timer(Warp& w, const Op& op, uint32_t on) {
  const uint64_t value = timer_value(w, op, op.mode >= kGlobalLow);
  const bool high = op.mode == kClockHigh || op.mode == kGlobalHigh, pair = op.word.bit(80);
  Lanes words[2];
  for (int i = 0; i < kLanes; ++i) {
    words[0].value[i] = static_cast<uint32_t>(high ? value >> 32 : value);
    words[1].value[i] = static_cast<uint32_t>(value >> 32);
  }
  store(w.row(op.target), words[0], op.uniform ? kAll : on);
  if (pair && !op.uniform) store(w.row(op.target) + kLanes, words[1], on);
}
/// The warp's place on its SM, as if its block were alone there: bits 8 and up.
void warp_place(Warp& w, const Op& op, uint32_t on) {
  Lanes out;
  for (uint32_t& lane : out.value) lane = w.index << 8;
  store(w.row(op.target), out, op.uniform ? kAll : on);
}
/// How many warps an SM holds, in bits 8 to 15: an H100 says 64 whatever the launch.
void warps_of_sm(Warp& w, const Op& op, uint32_t on) {
  const Run& run = *w.block->run;
  const auto value =
      static_cast<uint32_t>(device_of(*run.launch, run.program->architecture).architecture().warps_per_sm) << 8;
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, op.uniform ? kAll : on);
}
/// Blocks are dealt out to the SMs one by one.
void multiprocessor(Warp& w, const Op& op, uint32_t on) {
  const MachineLaunch& launch = *w.block->run->launch;
  const auto& at = w.block->index;
  const uint64_t block = at[0] + uint64_t{launch.grid[0]} * (at[1] + uint64_t{launch.grid[1]} * at[2]);
  Lanes out;
  for (uint32_t& lane : out.value) lane = static_cast<uint32_t>(block % launch.sms);
  store(w.row(op.target), out, op.uniform ? kAll : on);
}

/// A block's shared memory with the system's part.
void shared_size(Warp& w, const Op& op, uint32_t on) {
  const uint32_t value = shared_bytes_in_all(*w.block->run->program, *w.block->run->launch);
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, op.uniform ? kAll : on);
}

bool known_register(uint32_t number) {
  switch (number) {
      // clang-format off
    case 0x00: case 0x02: case 0x03: case 0x21: case 0x22: case 0x23: case 0x25: case 0x26: case 0x27: case 0x2e: case 0x2f:
    case 0x32: case 0x38: case 0x39: case 0x3a: case 0x3b: case 0x3c: case 0x43: case 0x50: case 0x51: case 0x52: case 0x53:
    case 0x88: case 0x8a: case 0xff:
      // clang-format on
      return true;
    default: return false;
  }
}
bool prepare_s2r(Decoder& d, Op& op) {
  const uint32_t number = op.word.bits(72, 8);
  if (number >= 0x21 && number <= 0x23) {
    op.run = thread_index;
    op.mode = number - 0x21;
  } else if (number >= 0x25 && number <= 0x27) {
    op.run = block_index;
    op.mode = number - 0x25;
  } else if (number == 0x88) {
    op.run = block_rank;
  } else if (number == 0x32) {
    op.run = shared_size;
  } else if (number >= kClockLow && number <= kGlobalHigh) {
    op.run = read_timer;
    op.mode = number;
    op.inexact = op.reads_clock = true;
  } else if (number == 0x02) {
    op.run = warps_of_sm;
  } else if (number == 0x03) {
    op.run = warp_place;
    op.inexact = true;
  } else if (number == 0x43) {
    op.run = multiprocessor;
    op.inexact = true;
  } else {
    op.run = same_everywhere;
    Lanes values;
    for (uint32_t lane = 0; lane < kLanes; ++lane) values.value[lane] = special_value(number, lane);
    op.b = d.constant_lanes(values.value);
    constexpr uint32_t kZero = 0xff, kOtherCluster = 0x8a;  // whether a cluster is not of the size that is preferred
    const bool known = number == kZero || number == kOtherCluster;
    op.inexact = !known && special_value(number, 1) == 0;  // identifiers of hardware
  }
  return known_register(number);
}
void read_timer_pair(Warp& w, const Op& op, uint32_t on) {
  read_timer(w, op, on);
  const uint64_t value = timer_value(w, op, op.mode >= kGlobalLow);
  std::fill_n(w.row(op.target) + kLanes, kLanes, static_cast<uint32_t>(value >> 32));
}
bool prepare_s2ur(Decoder& d, Op& op) {
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.uniform = true;
  return prepare_s2r(d, op);
}
/// Timers, in one uniform register or two.
bool prepare_cs2ur(Decoder& d, Op& op) {
  const bool known = prepare_s2ur(d, op), pair = op.word.bit(80);
  if (pair) op.run = read_timer_pair;
  return known && op.reads_clock;
}
void pair_of_constants(Warp& w, const Op& op, uint32_t on) {
  same_everywhere(w, op, on);
  store(w.row(op.target) + kLanes, Lanes{}, on);
}
bool prepare_cs2r(Decoder& d, Op& op) {
  const bool known = prepare_s2r(d, op);
  const bool pair = op.word.bit(80);
  if (pair && op.run == same_everywhere) op.run = pair_of_constants;
  return known && (!pair || op.run == pair_of_constants || op.run == read_timer);
}

/// Values of a uniform row, from the lowest lane that is on; the predicate says which lanes have another value.
void r2ur(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t* a = w.in(op.a);
  const uint32_t value = a[std::countr_zero(on)];
  uint32_t others = op.word.bit(84) ? w.predicates[op.set0] : 0;  // .OR
  for (int i = 0; i < kLanes; ++i) others |= static_cast<uint32_t>(a[i] != value) << i;
  w.set(op.set0, others, on);
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, kAll);
}
bool prepare_r2ur(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.run = r2ur;
  return true;
}

enum : uint32_t { kIndex, kUp, kDown, kButterfly };

/// The lane that each lane reads; one outside of its segment keeps its own value. Returns those inside.
template <uint32_t kMode>
inline uint32_t source_lanes(const uint32_t* b, const uint32_t* c, Lanes* from) {
  Lanes inside;
  for (int32_t i = 0; i < kLanes; ++i) {
    const auto clamp = static_cast<int32_t>(c[i] & 31), segment = static_cast<int32_t>(c[i] >> 8 & 31);
    const int32_t by = static_cast<int32_t>(b[i] & 31), last = (i & segment) | (clamp & ~segment);
    const int32_t to = kMode == kIndex  ? (i & segment) | (by & ~segment)
                       : kMode == kUp   ? i - by
                       : kMode == kDown ? i + by
                                        : i ^ by;
    const bool holds = kMode == kUp ? to >= last : to <= last;
    from->value[i] = static_cast<uint32_t>(holds ? to : i);
    inside.value[i] = holds;
  }
  return mask_of(inside);
}
uint32_t source_lanes(uint32_t mode, const uint32_t* b, const uint32_t* c, Lanes* from) {
  switch (mode) {
    case kIndex: return source_lanes<kIndex>(b, c, from);
    case kUp: return source_lanes<kUp>(b, c, from);
    case kDown: return source_lanes<kDown>(b, c, from);
    default: return source_lanes<kButterfly>(b, c, from);
  }
}

inline __attribute__((always_inline)) void shuffle(Warp& w, const Op& op, const uint32_t* from, uint32_t on) {
  const uint32_t* a = w.in(op.a);
  Lanes out;
#if defined(__AVX512F__)
  const __m512i low = _mm512_loadu_si512(a), high = _mm512_loadu_si512(a + 16);
  _mm512_store_si512(out.value, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from), high));
  _mm512_store_si512(out.value + 16, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + 16), high));
#else
  for (int i = 0; i < kLanes; ++i) out.value[i] = a[from[i]];
#endif
  store(w.row(op.target), out, on);
}

void shfl(Warp& w, const Op& op, uint32_t on) {
  Lanes from;
  const uint32_t valid = source_lanes(op.mode, w.in(op.b), w.in(op.c), &from);
  shuffle(w, op, from.value, on);
  w.set(op.set0, valid, on);
}
/// The lanes that are read stand in op.d, those inside their segment in op.mode.
void shfl_constant(Warp& w, const Op& op, uint32_t on) {
  shuffle(w, op, w.in(op.d), on);
  w.set(op.set0, op.mode, on);
}
bool prepare_shfl(Decoder& d, Op& op) {
  const Word& w = op.word;
  const uint32_t form = w.form();  // 1: both registers, 2: the mask immediate, 4: the lane immediate, 7: both
  op.a = d.source(w.bits(24, 8));
  op.b = form == 4 || form == 7 ? d.immediate(w.bits(53, 5)) : d.source(w.bits(32, 8));
  op.c = form == 2 || form == 7 ? d.immediate(w.bits(40, 13)) : d.source(w.bits(64, 8));
  op.mode = w.bits(58, 2);
  op.run = shfl;
  if (!op.b.fixed || !op.c.fixed) return true;
  Lanes from;
  const uint32_t valid = source_lanes(op.mode, op.b.fixed, op.c.fixed, &from);
  op.d = d.constant_lanes(from.value);
  op.mode = valid;
  op.run = shfl_constant;
  op.native = Native::kShuffle;
  return true;
}

void vote(Warp& w, const Op& op, uint32_t on) {
  const uint32_t lanes = w.value(op.p) & on;
  const bool result = op.mode == 0 ? lanes == on : op.mode == 1 ? lanes != 0 : lanes == 0 || lanes == on;
  Lanes out;
  for (uint32_t& lane : out.value) lane = lanes;
  store(w.row(op.target), out, op.uniform ? kAll : on);
  w.set(op.set0, result ? kAll : 0, op.uniform ? kAll : on);
}
bool prepare_vote(Decoder&, Op& op) {
  op.mode = op.word.bits(72, 2);
  op.run = vote;
  return true;
}
bool prepare_voteu(Decoder& d, Op& op) {
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.set0 = static_cast<uint8_t>(op.set0 + 8);
  op.uniform = true;
  return prepare_vote(d, op);
}

void match(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* a = w.in(op.a);
  const bool pair = op.mode & 2, all = op.mode & 1;
  auto value = [&](int i) { return pair ? wide(a, i) : a[i]; };
  Lanes out{};
  uint32_t same_everywhere = 0;
  for (int i = 0; i < kLanes; ++i) {
    if (!(on >> i & 1)) continue;
    uint32_t same = 0;
    for (int k = 0; k < kLanes; ++k) same |= static_cast<uint32_t>((on >> k & 1) && value(k) == value(i)) << k;
    out.value[i] = all && same != on ? 0 : same;
    same_everywhere |= static_cast<uint32_t>(same == on) << i;
  }
  store(w.row(op.target), out, on);
  if (all) w.set(op.set0, same_everywhere, on);
}
bool prepare_match(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.mode = (op.word.bit(79) ? 0 : 1) | (op.word.bit(73) ? 2 : 0);
  op.run = match;
  return true;
}

constexpr int kReduceFloatAt = 74, kReduceNanAt = 77, kReduceAbsoluteAt = 78;  // CREDUX

uint32_t reduced(uint32_t what, bool is_signed, uint32_t x, uint32_t y) {
  const bool less = is_signed ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
  switch (what) {
    case 0: return x & y;
    case 1: return x | y;
    case 2: return x ^ y;
    case 3: return x + y;
    case 4: return less ? x : y;
    default: return less ? y : x;
  }
}
void redux(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t* a = w.in(op.a);
  const int first = std::countr_zero(on);
  uint32_t value = a[first];
  for (int i = first + 1; i < kLanes; ++i) {
    if (on >> i & 1) value = reduced(op.mode, op.sign_extend, value, a[i]);
  }
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, kAll);
}
bool prepare_redux(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.mode = op.word.bits(78, 3);
  op.sign_extend = op.word.bit(73);
  op.run = redux;
  return op.mode <= 5 || op.opcode == Opcode::kCredux;
}
/// Of floats: NaN loses, unless the word says that it wins.
void credux_float(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t *a = w.in(op.a), keep = op.word.bit(kReduceAbsoluteAt) ? 0x7fffffffu : kAll;
  const bool smallest = op.mode == 4;
  uint32_t best = 0x7fffffff;
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t bits = a[lane] & keep;
    const float x = as_float(bits), y = as_float(best);
    if (x != x) {
      if (!op.word.bit(kReduceNanAt)) continue;
      best = 0x7fffffff;
      break;
    }
    const bool less = x < y || (x == y && bits >> 31), more = x > y || (x == y && !(bits >> 31));
    if (y != y || (smallest ? less : more)) best = bits;
  }
  Lanes out;
  for (uint32_t& lane : out.value) lane = best;
  store(w.row(op.target), out, kAll);
}
bool prepare_credux(Decoder& d, Op& op) {
  if (op.word.bit(kReduceFloatAt)) {
    const bool known = prepare_redux(d, op) && op.word.bits(75, 2) == 0 && op.word.bits(80, 8) == 0;
    op.mode = op.word.bit(79) ? 4 : 5;
    op.run = credux_float;
    return known;
  }
  const bool known = prepare_redux(d, op) && op.word.bits(74, 5) == 0 && op.word.bits(80, 8) == 0;
  op.mode = op.word.bit(79) ? 4 : 5;  // the smallest, the largest
  return known;
}

}  // namespace

// clang-format off
const Row kExchangeRows[] = {
    {Opcode::kCs2r, prepare_cs2r},
    {Opcode::kCs2ur, prepare_cs2ur},
    {Opcode::kVote, prepare_vote},
    {Opcode::kVoteu, prepare_voteu},
    {Opcode::kR2ur, prepare_r2ur},
    {Opcode::kS2r, prepare_s2r},
    {Opcode::kShfl, prepare_shfl},
    {Opcode::kMatch, prepare_match},
    {Opcode::kR2urBefore90, prepare_r2ur},
    {Opcode::kS2ur, prepare_s2ur},
    {Opcode::kRedux, prepare_redux},
    {Opcode::kCredux, prepare_credux},
    {Opcode::kUnknown, nullptr},
};
// clang-format on

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
