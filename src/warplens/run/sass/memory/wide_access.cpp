// Loads and stores of global memory of 32 bytes a lane: the first 16 and the others have registers of their own
// (compute capability 10.0 and later).
#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/watch.h"
#include "warplens/simt/requests/count.h"
#include "warplens/simt/requests/count_lanes.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kBytes = 32, kWords = kBytes / 4, kHalf = kWords / 2;
constexpr uint32_t kAllWords = (1u << kWords) - 1;

/// Where word k of a lane stands in a register: those that a load leaves out have none.
struct Rows {
  uint32_t* at[kWords] = {};
  Rows(uint32_t* low, uint32_t* high, uint32_t words) {
    for (uint32_t half = 0; half < 2; ++half) {
      uint32_t* next = half ? high : low;
      for (uint32_t k = half * kHalf; k < (half + 1) * kHalf; ++k) {
        if (!(words >> k & 1)) continue;
        at[k] = next;
        next += kLanes;
      }
    }
  }
};

template <bool kStore>
void count(Warp& w, const Op& op, const Addresses& at, uint32_t on) {
  const uint64_t bytes = uint64_t{kBytes} * static_cast<uint32_t>(std::popcount(on)),
                 sectors = simt::count_sectors(at.value, on, kBytes),
                 ideal = simt::count_request(*w.count, bytes, sectors);
  Addresses lines;
  for (uint32_t i = 0; i < kLanes; ++i) lines.value[i] = at.value[i] / 4;  // whose sectors they are
  const uint64_t distinct = simt::count_sectors(lines.value, on, 1), turns = std::max(distinct, answers_of(on, kBytes));
  w.extra_cycles = turns - 1;
  w.line_doublings = static_cast<uint32_t>(std::bit_width(distinct - 1));
  w.block->cache_lines += turns;
  if (op.watched) watch_request(w, at, on, kBytes, false, kStore, sectors, ideal);
}

template <bool kStore>
void access(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  Addresses at = global_addresses(w, op);
  fill_idle(&at, on);
  if (!check_aligned(w, span_of(at), kBytes)) return;
  if (w.block->run->counted) count<kStore>(w, op, at, on);
  const Rows rows(kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target), const_cast<uint32_t*>(w.in(op.d)),
                  op.mode);
  simt::in_store_order(on, kBytes, [&](uint32_t lane) {
    if (w.block->stop.kind != Stop::Kind::kNone) return;
    w.stopped_lane = lane;
    uint8_t* bytes = locate(w, at.value[lane], kBytes);
    if (!bytes) return;
    if (w.block->run->counted) note_request(w, at, 1u << lane, kBytes, kStore);
    for (uint32_t k = 0; k < kWords; ++k) {
      if (!rows.at[k]) continue;
      kStore ? std::memcpy(bytes + 4 * k, &rows.at[k][lane], 4) : std::memcpy(&rows.at[k][lane], bytes + 4 * k, 4);
    }
  });
  if (w.block->stop.kind == Stop::Kind::kNone) w.stopped_lane = kLanes;
}

/// What loads and stores have in common: an address of 64 bits behind a descriptor, an offset of so many bits.
bool prepare(Decoder& d, Op& op, int offset_bits) {
  const Word& word = op.word;
  op.a = d.source(word.source_a());
  op.c = d.source(kRegisterZero);
  op.offset = int64_t{word.signed_bits(40, offset_bits)} * kBytes;
  op.size_bytes = kBytes;
  constexpr int kTypeAt = 73, kByDescriptorAt = 91;
  constexpr uint32_t kByDescriptor = 0b1100;  // bits 73 to 76
  return word.bits(kTypeAt, 4) == kByDescriptor && word.bit(kByDescriptorAt);
}
bool prepare_wide_load(Decoder& d, Op& op) {
  op.mode = op.word.bits(57, 7) | op.word.bits(72, 1) << 7;  // words that are wanted
  op.d = d.row(d.destination(op.word.bits(64, 8)));
  op.run = access<false>;
  return prepare(d, op, 17) && op.word.bits(88, 3) == 0;
}
bool prepare_wide_store(Decoder& d, Op& op) {
  op.mode = op.word.bits(59, 5) | op.word.bits(88, 3) << 5;
  op.b = d.source(op.word.source_low());
  op.d = d.source(op.word.target());
  op.run = access<true>;
  return prepare(d, op, 19) && op.mode == kAllWords;
}

}  // namespace

const Row kWideRows[] = {
    {Opcode::kLdgWide, prepare_wide_load},
    {Opcode::kStgWide, prepare_wide_store},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
