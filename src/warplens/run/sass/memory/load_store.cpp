// Loads and stores of shared, local and constant memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/memory/memory.h"
#include "warplens/run/sass/memory/moves.h"
#include "warplens/run/sass/memory/watch.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/simt/memory/fits.h"
#include "warplens/simt/requests/count_lanes.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Loads of words or pairs, each half a run or one address, of which the first two lanes tell.
inline void count_shared_halves(simt::InstructionCounts& row, const Addresses& at, uint32_t size) {
  const uint64_t bytes = uint64_t{size} * kLanes;
  if (size == 4) return count_passes(row, {simt::passes_of_halves(at.value), 1}, bytes);
  const bool low = at.value[0] == at.value[1], high = at.value[16] == at.value[17];
  if (!low || !high) return count_passes(row, {2, 2}, bytes);
  // Two addresses go together, but where they share a bank.
  return count_passes(row, {(at.value[0] ^ at.value[16]) / 8 % 16 == 0 ? 2u : 1u, 1}, bytes);
}

/// The common shapes at once: a run of words, all at one address, each half one of these.
template <bool kStore>
inline void count_shared_request(simt::InstructionCounts& row, const Addresses& at, Shape shape, uint32_t on,
                                 uint32_t size) {
  const uint64_t bytes = uint64_t{size} * static_cast<uint32_t>(std::popcount(on));
  if (shape == Shape::kRun && on == kAll && size >= 4) return count_passes(row, {size / 4, size / 4}, bytes);
  if (kStore && size > 4) return simt::count_shared_lanes(row, at.value, on, size, false, simt::Joins::kNever);
  if (shape == Shape::kOne) {  // halves of 16 bytes a lane never go together
    const uint32_t passes = size < 16 ? 1 : ((on & 0xffff) != 0) + (on >> 16 != 0);
    return count_passes(row, {passes, passes}, bytes);
  }
  if (shape == Shape::kHalves && (size == 4 || size == 8)) return count_shared_halves(row, at, size);
  if (shape != Shape::kHalves || size != 16) return simt::count_shared_lanes(row, at.value, on, size);
  const auto of_half = [&](uint32_t first) { return at.value[first] == at.value[first + 1] ? 1u : 2u; };
  const uint32_t passes = of_half(0) + of_half(16);  // quarters, or joined ones
  count_passes(row, {passes, passes}, bytes);
}

/// `at`: with Joins::kByAll, where lanes that are off point too.
template <bool kStore>
void count_shared(Warp& w, const Op& op, const Addresses& at, Joins joins, Shape shape, uint32_t on) {
  const uint32_t size = op.size_bytes;
  const uint64_t before = w.count->wavefronts, before_ideal = w.count->ideal_wavefronts;
  if (joins == Joins::kByAll) simt::count_shared_lanes(*w.count, at.value, on, size, false, joins);
  else count_shared_request<kStore>(*w.count, at, shape, on, size);
  const uint64_t passes = w.count->wavefronts - before;
  w.extra_cycles = passes - 1;
  if (op.watched) watch_request(w, at, on, size, true, kStore, passes, w.count->ideal_wavefronts - before_ideal, joins);
}

template <bool kStore>
void shared_lanes(Warp& w, const Op& op, Addresses& at, uint32_t on) {
  const uint32_t size = op.size_bytes;
  const bool counted = w.block->run->counted;
  // Lanes that are off have a say where they point.
  const Joins joins = !kStore && size > 4 && on != kAll ? Joins::kByAll : Joins::kByActive;
  const bool by_all = counted && joins == Joins::kByAll;
  Addresses pointed;
  if (by_all) pointed = at;
  Request request;
  look_at(&at, on, size, request);
  const Span& span = request.span;
  if (!check_aligned(w, span, size)) return;
  if (counted) count_shared<kStore>(w, op, by_all ? pointed : at, joins, request.shape, on);
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  if (!shared_bytes(w, span.high, size)) return;
  uint8_t* origin = w.block->shared.data();
  const auto base = reinterpret_cast<uint64_t>(origin);
  if (!kStore && request.shape == Shape::kOne) return read_one(op, rows, origin + span.low, on);
  if (!kStore && request.shape == Shape::kHalves && size == 4) return read_halves<1>(rows, base, at);
  if (!kStore && request.shape == Shape::kHalves && size == 8) return read_halves<2>(rows, base, at);
  if (request.shape == Shape::kRun) return move_row<kStore>(op, rows, origin + span.low, on);
  if (!kStore && size >= 4) return read_lanes(op, rows, base, at, on);
  move_lanes<kStore>(op, rows, base, at, on);
}
/// Loads of words or pairs by all lanes, each half of them a run or one address. False: something is wrong with it.
bool shared_halves_at_once(Warp& w, const Op& op) {
  constexpr uint32_t kHalf = 16;
  const uint32_t *a = w.in(op.a), *base = w.in(op.c), size = op.size_bytes;
  Addresses at;  // of those lanes that tell how halves lie
  for (const uint32_t lane : {0u, 1u, kHalf, kHalf + 1})
    at.value[lane] = own_offset(w, a[lane] + base[lane] + static_cast<uint32_t>(op.offset));
  const std::vector<uint8_t>& shared = w.block->shared;
  if ((at.value[0] | at.value[kHalf]) % size != 0) return false;
  if (!simt::fits(std::max(at.value[0], at.value[kHalf]), kHalf * size, shared.size())) return false;
  if (w.block->run->counted) {
    const uint64_t before = w.count->wavefronts;
    count_shared_halves(*w.count, at, size);
    w.extra_cycles = w.count->wavefronts - before - 1;
  }
  const auto origin = reinterpret_cast<uint64_t>(shared.data());
  size == 4 ? read_halves<1>(w.row(op.target), origin, at) : read_halves<2>(w.row(op.target), origin, at);
  return true;
}

/// The common shapes of loads, and stores in a row. False: it is none of these, or what is counted wants a closer look.
template <bool kStore>
bool shared_at_once(Warp& w, const Op& op, uint32_t on) {
  const uint32_t size = op.size_bytes;
  const bool counted = w.block->run->counted;
  if (op.scale != 0 || (counted && (op.watched || (size > 4 && on != kAll)))) return false;
  const Shape shape = simple_shape(w, op, on, false);
  if (!kStore && shape == Shape::kHalves && (size == 4 || size == 8)) return shared_halves_at_once(w, op);
  if (shape != Shape::kRun && (kStore || shape != Shape::kOne)) return false;
  const auto from = static_cast<uint32_t>(std::countr_zero(on)),
             last = 31 - static_cast<uint32_t>(std::countl_zero(on));
  const uint32_t begin = own_offset(w, w.in(op.a)[from] + w.in(op.c)[from] + static_cast<uint32_t>(op.offset));
  const uint32_t reach = shape == Shape::kRun ? (last - from + 1) * size : size;
  std::vector<uint8_t>& shared = w.block->shared;
  if ((begin & (size - 1)) || !simt::fits(begin, reach, shared.size())) return false;
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  uint8_t* bytes = shared.data() + begin;
  if (counted) {
    const uint32_t passes = passes_together(shape, size);
    count_passes(*w.count, {passes, passes}, uint64_t{size} * static_cast<uint32_t>(std::popcount(on)));
    w.extra_cycles = passes - 1;
  }
  if (shape == Shape::kOne) read_one(op, rows, bytes, on);
  else move_row<kStore>(op, rows, bytes, on);
  return true;
}
/// The request just counted is what translated code expects to come again.
void remember_pattern(Warp& w, const Op& op, const simt::InstructionCounts& before) {
  const uint32_t* a = w.in(op.a);
  if (op.c.row != w.zero && lanes_off(w.in(op.c), kSteps[0], 0)) return;
  LanePattern& pattern = w.patterns[op.access];
  for (uint32_t i = 0; i < kLanes; ++i) pattern.distance[i] = a[i] - a[0];
  pattern.passes = w.count->wavefronts - before.wavefronts;
  pattern.ideal_passes = w.count->ideal_wavefronts - before.ideal_wavefronts;
  pattern.extra_cycles = w.extra_cycles;
  find_windows(op.size_bytes, &pattern);
}

template <bool kStore>
void shared_anywhere(Warp& w, const Op& op, uint32_t on) {
  Addresses at = shared_addresses(w, op);
  shared_lanes<kStore>(w, op, at, on);
}

template <bool kStore>
void shared(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const bool remembers = w.patterns && w.block->run->counted && on == kAll && op.size_bytes >= 4 && op.scale == 0;
  simt::InstructionCounts before;
  if (remembers) settle_pattern(op, &w.patterns[op.access], w.count), before = *w.count;
  if (!shared_at_once<kStore>(w, op, on)) shared_anywhere<kStore>(w, op, on);
  if (remembers && w.block->stop.kind == Stop::Kind::kNone) remember_pattern(w, op, before);
}

/// What the cache model sees of a request to local memory, where word k of all 32 threads lies side by side.
void trace_local(Warp& w, const Addresses& at, uint32_t on, uint32_t size) {
  uint64_t sectors[4 * kLanes];
  uint32_t count = 0;
  for (const uint32_t lane : set_bits(on)) {
    const uint64_t offset = at.value[lane];
    for (uint64_t word = offset / 4; word <= (offset + size - 1) / 4; ++word) {
      const uint64_t sector = (word * kLanes + lane) / 8;
      bool known = false;
      for (uint32_t k = count; k-- && !known;) known = sectors[k] == sector;
      if (!known) sectors[count++] = sector;
    }
  }
  note_local(w, sectors, count);
}

/// Words of local memory by their numbers, each lane's in its own column.
template <bool kStore>
void local_words(Warp& w, const Lanes& home, uint32_t* row, uint32_t on) {
  auto* const words = reinterpret_cast<uint32_t*>(w.local.data());
#if defined(__AVX512F__)
  for (const int half : {0, 16}) {
    const __m512i at = _mm512_loadu_si512(home.value + half), lanes = _mm512_loadu_si512(row + half);
    const auto here = static_cast<__mmask16>(on >> half);
    if (kStore) _mm512_mask_i32scatter_epi32(words, here, at, lanes, 4);
    else _mm512_storeu_si512(row + half, _mm512_mask_i32gather_epi32(lanes, here, at, words, 4));
  }
#else
  for (const uint32_t lane : set_bits(on))
    kStore ? void(words[home.value[lane]] = row[lane]) : void(row[lane] = words[home.value[lane]]);
#endif
}

/// Bytes or halves, each a part of a word.
template <bool kStore>
void local_parts(Warp& w, const Op& op, const Addresses& at, uint32_t* row, uint32_t on) {
  const uint32_t bits = 8u * op.size_bytes, down = 32 - bits;
  Lanes home, moved{}, up;
  for (uint32_t i = 0; i < kLanes; ++i) {
    home.value[i] = static_cast<uint32_t>(at.value[i]) / 4 * kLanes + i;
    up.value[i] = 8 * (static_cast<uint32_t>(at.value[i]) % 4);
  }
  local_words<false>(w, home, moved.value, on);
  if (kStore) {
    for (int i = 0; i < kLanes; ++i) {
      const uint32_t mask = (~0u >> down) << up.value[i];
      moved.value[i] = (moved.value[i] & ~mask) | (row[i] << up.value[i] & mask);
    }
    return local_words<true>(w, home, moved.value, on);
  }
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t high = moved.value[i] >> up.value[i] << down;
    moved.value[i] = op.sign_extend ? static_cast<uint32_t>(static_cast<int32_t>(high) >> down) : high >> down;
  }
  store(row, moved, on);
}

/// Words that lie at one offset for all lanes lie side by side.
template <bool kStore>
void local_rows(Warp& w, const Op& op, uint64_t offset, uint32_t* rows, uint32_t on) {
  auto* words = reinterpret_cast<uint32_t*>(w.local.data()) + offset / 4 * kLanes;
  for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
    uint32_t *memory = words + word * kLanes, *row = rows + word * kLanes;
    Lanes moved;
    copy_lanes(moved.value, kStore ? row : memory);
    store(kStore ? memory : row, moved, on);
  }
}

template <bool kStore>
void local_lanes(Warp& w, const Op& op, Addresses at, uint32_t on) {
  const uint32_t size = op.size_bytes;
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  fill_idle(&at, on);
  const Span span = span_of(at);
  if (!check_aligned(w, span, size)) return;
  if (!simt::fits(span.high, size, w.local.size() / kLanes)) {
    return w.block->fail(Stop::Kind::kIllegalAddress,
                         fmt::format("local memory at {} of {} bytes", span.high, w.local.size() / kLanes));
  }
  if (w.block->run->counted) simt::count_local_lanes(*w.count, at.value, on, size);
  if (!kStore && w.block->trace) trace_local(w, at, on, size);
  if (size < 4) return local_parts<kStore>(w, op, at, rows, on);
  if (span.low == span.high) return local_rows<kStore>(w, op, span.low, rows, on);
  Lanes home;
  for (uint32_t word = 0; word < size / 4; ++word) {
    for (uint32_t i = 0; i < kLanes; ++i) home.value[i] = (static_cast<uint32_t>(at.value[i]) / 4 + word) * kLanes + i;
    local_words<kStore>(w, home, rows + word * kLanes, on);
  }
}
template <bool kStore>
void local(Warp& w, const Op& op, uint32_t on) {
  if (on) local_lanes<kStore>(w, op, local_addresses(w, op), on);
}

bool prepare_lds(Decoder& d, Op& op) {
  set_shared_address(d, op, 32);
  set_scale(op);
  op.native = op.scale ? Native::kNone : Native::kLoadShared;
  op.run = shared<false>;
  return set_size(op);
}
bool prepare_sts(Decoder& d, Op& op) {
  set_shared_address(d, op, 64);
  op.b = d.source(op.word.bits(32, 8));
  set_scale(op);
  op.native = op.scale ? Native::kNone : Native::kStoreShared;
  op.run = shared<true>;
  return set_size(op);
}
bool prepare_ldl(Decoder& d, Op& op) {
  set_shared_address(d, op, 32);
  op.run = local<false>;
  return set_size(op);
}
bool prepare_stl(Decoder& d, Op& op) {
  set_shared_address(d, op, 64);
  op.b = d.source(op.word.bits(32, 8));
  op.run = local<true>;
  return set_size(op);
}

/// Constant memory hands out one word at a time to the lanes that want it: 2 cycles of the SM each, and 11 of the
/// warp's time, measured on an H200.
void count_words(Warp& w, const uint32_t* offsets, uint32_t on) {
  constexpr uint32_t kWordCycles = 11;
  simt::Padded words;
  for (uint32_t i = 0; i < kLanes; ++i) words.at[i] = on >> i & 1 ? offsets[i] / 4 : simt::kNobody + 1 + i;
  const uint32_t distinct = simt::meetings(words).distinct - (kLanes - static_cast<uint32_t>(std::popcount(on)));
  w.count->wavefronts += distinct;
  w.count->ideal_wavefronts += 1;
  w.extra_cycles = uint64_t{distinct - 1} * kWordCycles;
}
template <bool kByLane>
void constant(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* a = w.in(op.a);
  if (kByLane && on && w.block->run->counted) count_words(w, a, on);
  uint32_t* rows = w.row(op.target);
  uint8_t bytes[16] = {};
  uint32_t last = 0;  // what the bytes are of
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    if (lanes != on && a[lane] == last) {
      put_lane(rows, lane, bytes, op);
      continue;
    }
    last = a[lane];
    std::memset(bytes, 0, sizeof bytes);
    constant_bytes(w, op.mode, static_cast<uint32_t>(op.offset) + a[lane], bytes, op.size_bytes);
    put_lane(rows, lane, bytes, op);
  }
}
void known_constant(Warp& w, const Op& op, uint32_t on) {
  Lanes lanes;
  for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
    copy_lanes(lanes.value, w.in(op.b) + word * kLanes);
    store(w.row(op.target) + word * kLanes, lanes, on);
  }
}
bool prepare_ldc(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.mode = op.word.bits(54, 5);
  const bool indexed = op.word.bits(24, 8) != kRegisterZero;
  op.offset = indexed ? op.word.signed_bits(38, 16) : static_cast<int64_t>(op.word.bits(38, 16));
  op.run = constant<true>;
  if (!set_size(op) || op.word.bits(78, 2) != 0 || op.word.bit(91)) return false;
  if (!indexed && op.size_bytes >= 4 && op.size_bytes <= 8) {
    const auto offset = static_cast<uint64_t>(op.offset);
    op.b = d.constant(op.mode, offset);
    op.run = known_constant;
    op.native = Native::kMoveWords;
  }
  return true;
}

bool prepare_uldc_indexed(Decoder& d, Op& op) {
  op.a = d.uniform(op.word.bits(24, 8));
  op.mode = op.word.bits(54, 5);
  op.offset = op.word.signed_bits(38, 16);
  op.run = constant<false>;
  return set_size(op);
}
/// A guard decides for the whole warp, as the register is the whole warp's.
void load_known_guarded(Warp& w, const Op& op, uint32_t on) {
  if (on) load_known(w, op, on);
}
bool prepare_uldc(Decoder& d, Op& op) {
  if (!set_size(op) || op.size_bytes > 8) return false;
  const uint32_t bank = op.word.bits(54, 5), offset = op.word.bits(38, 16);
  if (op.size_bytes < 4) {
    const uint32_t unused = 32 - 8u * op.size_bytes, high = d.constant_word(bank, offset) << unused;
    op.b = d.immediate(op.sign_extend ? static_cast<uint32_t>(static_cast<int32_t>(high) >> unused) : high >> unused);
  } else {
    op.b = d.constant(bank, offset);
  }
  d.load_constants(op, op.size_bytes == 8 ? 2 : 1, kAll);
  op.run = op.guarded ? load_known_guarded : load_known;
  return !op.word.bit(91);
}

}  // namespace

bool set_size(Op& op) {
  constexpr uint8_t kSizes[] = {1, 1, 2, 2, 4, 8, 16, 0};
  const uint32_t type = op.word.bits(73, 3);
  op.size_bytes = kSizes[type];
  op.sign_extend = type == 1 || type == 3;
  return op.size_bytes != 0;
}

void access_shared(Warp& w, const Op& op, Addresses at, uint32_t on, bool store) {
  for (uint64_t& address : at.value) address &= kInBlock;
  store ? shared_lanes<true>(w, op, at, on) : shared_lanes<false>(w, op, at, on);
}
void access_local(Warp& w, const Op& op, const Addresses& at, uint32_t on, bool store) {
  store ? local_lanes<true>(w, op, at, on) : local_lanes<false>(w, op, at, on);
}

const Row kMemoryRows[] = {
    {Opcode::kLdc, prepare_ldc},
    {Opcode::kLdl, prepare_ldl},
    {Opcode::kLds, prepare_lds},
    {Opcode::kStl, prepare_stl},
    {Opcode::kSts, prepare_sts},
    {Opcode::kUldc, prepare_uldc},
    {Opcode::kUldcIndexed, prepare_uldc_indexed},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
