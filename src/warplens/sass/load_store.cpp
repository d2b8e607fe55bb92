// Loads and stores: global, generic, shared, local and constant memory.
#include <bit>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/emulator/access.h"
#include "warplens/sass/addresses.h"
#include "warplens/sass/decoder.h"
#include "warplens/sass/lanes.h"

namespace warplens::sass {
namespace {

constexpr uint8_t kSizes[] = {1, 1, 2, 2, 4, 8, 16, 0};

bool set_size(Op& op) {
  const uint32_t type = op.word.bits(73, 3);
  op.size_bytes = kSizes[type];
  op.sign_extend = type == 1 || type == 3;
  return op.size_bytes != 0;
}

/// Shared-memory address registers may count in units of 4, 8 or 16 bytes.
void set_scale(Op& op) {
  const uint32_t unit = op.word.bits(78, 2);
  op.scale = static_cast<uint8_t>(unit ? unit + 1 : 0);
}

/// Puts `size_bytes` bytes into the registers of one lane.
void put_lane(uint32_t* rows, uint32_t lane, const uint8_t* from, const Op& op) {
  if (op.size_bytes >= 4) {
    for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) std::memcpy(&rows[word * kLanes + lane], from + 4 * word, 4);
    return;
  }
  uint32_t value = 0;
  std::memcpy(&value, from, op.size_bytes);
  if (op.sign_extend) {
    const int up = 32 - 8 * op.size_bytes;
    value = static_cast<uint32_t>(static_cast<int32_t>(value << up) >> up);
  }
  rows[lane] = value;
}
void get_lane(const uint32_t* rows, uint32_t lane, uint8_t* to, const Op& op) {
  if (op.size_bytes >= 4) {
    for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) std::memcpy(to + 4 * word, &rows[word * kLanes + lane], 4);
    return;
  }
  std::memcpy(to, &rows[lane], op.size_bytes);
}

struct Span {
  uint64_t low = ~uint64_t{0}, high = 0;
};
Span span_of(const Addresses& at, uint32_t on) {
  Span out;
  for (int i = 0; i < kLanes; ++i) {
    const bool in = on >> i & 1;
    out.low = std::min(out.low, in ? at.value[i] : ~uint64_t{0});
    out.high = std::max(out.high, in ? at.value[i] : 0);
  }
  return out;
}

uint64_t distinct_lines(const Addresses& at, uint32_t on) {
  uint64_t lines[kLanes];
  uint64_t count = 0;
  for (; on; on &= on - 1) {
    const uint64_t line = at.value[std::countr_zero(on)] / 128;
    uint64_t k = count;
    while (k > 0 && lines[k - 1] != line) --k;
    if (k == 0) lines[count++] = line;
  }
  return count;
}

/// Do all lanes' accesses lie one behind the other?
bool is_run(const Addresses& at, uint32_t on, uint32_t size) {
  if (on != kAll) return false;
  bool same = true;
  for (int i = 1; i < kLanes; ++i) same &= at.value[i] == at.value[0] + static_cast<uint64_t>(i) * size;
  return same;
}

template <bool kStore>
void move_lanes(const Op& op, uint32_t* rows, const Addresses& at, uint32_t on) {
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    auto* bytes = reinterpret_cast<uint8_t*>(at.value[lane]);
    kStore ? get_lane(rows, lane, bytes, op) : put_lane(rows, lane, bytes, op);
  }
}

template <bool kStore>
void global(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const Addresses at = global_addresses(w, op);
  const uint32_t size = op.size_bytes;
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  const Span span = span_of(at, on);
  if (!locate(w, span.low, static_cast<uint32_t>(std::min<uint64_t>(span.high - span.low + size, kAll)))) {
    // Not all in one allocation: lane by lane.
    w.block->stop = {};
    for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
      if (!locate(w, at.value[std::countr_zero(lanes)], size)) return;
    }
  }
  if (span.low == span.high) {
    emulator::count_run(*w.count, span.low, size);
    note_run(w, span.low, size, kStore);
    ++w.block->cache_lines;
    if (kStore) ++w.block->partial_sectors;
    w.count->bytes += uint64_t{size} * static_cast<uint32_t>(std::popcount(on) - 1);
  } else if (is_run(at, on, size)) {
    emulator::count_run(*w.count, span.low, uint64_t{kLanes} * size);
    note_run(w, span.low, uint64_t{kLanes} * size, kStore);
    w.extra_cycles = size / 4 - 1;
    w.block->cache_lines += size / 4;
    if (size == 4) {
      auto* bytes = reinterpret_cast<uint8_t*>(span.low);
      kStore ? std::memcpy(bytes, rows, 128) : std::memcpy(rows, bytes, 128);
      return;
    }
  } else {
    const uint64_t before = w.count->sectors;
    emulator::count_global(*w.count, at.value, on, size);
    note_request(w, at, on, size, kStore);
    const uint64_t lines = distinct_lines(at, on), sectors = w.count->sectors - before;
    w.extra_cycles = lines - 1;
    w.block->cache_lines += lines;
    if (kStore && sectors * 32 > static_cast<uint64_t>(std::popcount(on)) * size) w.block->partial_sectors += sectors;
  }
  move_lanes<kStore>(op, rows, at, on);
}

template <bool kStore>
void shared_lanes(Warp& w, const Op& op, const Addresses& at, uint32_t on) {
  const uint64_t before = w.count->wavefronts;
  emulator::count_shared(*w.count, at.value, on, op.size_bytes);
  w.extra_cycles = w.count->wavefronts - before - 1;
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    uint8_t* bytes = shared_bytes(w, at.value[lane], op.size_bytes);
    if (!bytes) return;
    kStore ? get_lane(rows, lane, bytes, op) : put_lane(rows, lane, bytes, op);
  }
}
template <bool kStore>
void shared(Warp& w, const Op& op, uint32_t on) {
  if (on) shared_lanes<kStore>(w, op, shared_addresses(w, op), on);
}

/// Local memory lies interleaved: word k of all 32 threads side by side.
template <bool kStore>
void local_lanes(Warp& w, const Op& op, const Addresses& at, uint32_t on) {
  const uint32_t size = op.size_bytes;
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  uint64_t sectors[4 * kLanes];
  uint32_t count = 0;
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint64_t offset = at.value[lane];
    if ((offset + size) * kLanes > w.local.size()) {
      return w.block->fail(Stop::Kind::kFault, fmt::format("local memory at {} of {} bytes", offset, w.local.size() / kLanes));
    }
    uint8_t bytes[16];
    if (kStore) get_lane(rows, lane, bytes, op);
    for (uint32_t k = 0; k < size; ++k) {
      uint8_t& home = w.local[((offset + k) / 4 * kLanes + lane) * 4 + (offset + k) % 4];
      kStore ? void(home = bytes[k]) : void(bytes[k] = home);
    }
    if (!kStore) put_lane(rows, lane, bytes, op);
    for (uint64_t word = offset / 4; word <= (offset + size - 1) / 4; ++word) {
      const uint64_t sector = (word * kLanes + lane) / 8;
      bool known = false;
      for (uint32_t k = count; k-- && !known;) known = sectors[k] == sector;
      if (!known) sectors[count++] = sector;
    }
  }
  if (!kStore) note_local(w, sectors, count);
  ++w.count->requests;
  w.count->sectors += count;
  const auto bytes = static_cast<uint64_t>(std::popcount(on)) * size;
  w.count->bytes += bytes;
  w.count->ideal_sectors += std::min<uint64_t>(count, (bytes + 31) / 32);
}
template <bool kStore>
void local(Warp& w, const Op& op, uint32_t on) {
  if (on) local_lanes<kStore>(w, op, local_addresses(w, op), on);
}

/// A generic access goes where its address lies; lanes may differ.
template <bool kStore>
void generic(Warp& w, const Op& op, uint32_t on) {
  const Addresses at = global_addresses(w, op);
  uint32_t to_shared = 0, to_local = 0;
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint64_t window = at.value[lane] >> 56;
    if (window == emulator::kSharedWindow >> 56) to_shared |= 1u << lane;
    if (window == emulator::kLocalWindow >> 56) to_local |= 1u << lane;
  }
  Addresses low = at;
  for (uint64_t& address : low.value) address &= 0xffffffff;
  if (to_shared) {
    for (uint64_t& address : low.value) address &= 0xffffff;
    shared_lanes<kStore>(w, op, low, to_shared);
  }
  if (to_local) local_lanes<kStore>(w, op, low, to_local);
  if (on & ~(to_shared | to_local)) global<kStore>(w, op, on & ~(to_shared | to_local));
}

bool prepare_global(Decoder& d, Op& op, Handler load, Handler store_, bool is_store) {
  if (!set_size(op)) return false;
  set_global_address(d, op);
  if (is_store) op.b = d.source(op.word.bits(32, 8));
  op.run = is_store ? store_ : load;
  return true;
}
bool prepare_ldg(Decoder& d, Op& op) { return prepare_global(d, op, global<false>, nullptr, false); }
bool prepare_stg(Decoder& d, Op& op) { return prepare_global(d, op, nullptr, global<true>, true); }
bool prepare_ld(Decoder& d, Op& op) { return prepare_global(d, op, generic<false>, nullptr, false); }
bool prepare_st(Decoder& d, Op& op) { return prepare_global(d, op, nullptr, generic<true>, true); }

bool prepare_lds(Decoder& d, Op& op) {
  set_shared_address(d, op, 32);
  set_scale(op);
  op.run = shared<false>;
  return set_size(op);
}
bool prepare_sts(Decoder& d, Op& op) {
  set_shared_address(d, op, 64);
  op.b = d.source(op.word.bits(32, 8));
  set_scale(op);
  op.run = shared<true>;
  return set_size(op);
}
bool prepare_ldl(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.offset = op.word.signed_bits(40, 24);
  op.run = local<false>;
  return set_size(op);
}
bool prepare_stl(Decoder& d, Op& op) {
  prepare_ldl(d, op);
  op.b = d.source(op.word.bits(32, 8));
  op.run = local<true>;
  return set_size(op);
}

void constant(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* a = w.in(op.a);
  uint32_t* rows = w.row(op.target);
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    uint8_t bytes[16] = {};
    constant_bytes(w, op.mode, static_cast<uint32_t>(op.offset) + a[lane], bytes, op.size_bytes);
    put_lane(rows, lane, bytes, op);
  }
}
void known_constant(Warp& w, const Op& op, uint32_t on) {
  Lanes lanes;
  for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
    std::memcpy(lanes.value, w.in(op.b) + word * kLanes, sizeof lanes);
    store(w.row(op.target) + word * kLanes, lanes, on);
  }
}
bool prepare_ldc(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.mode = op.word.bits(54, 5);
  op.offset = op.word.bits(38, 16);
  op.run = constant;
  if (!set_size(op) || op.word.bits(78, 2) != 0 || op.word.bit(91)) return false;
  if (op.word.bits(24, 8) == kRegisterZero && op.size_bytes >= 4 && op.size_bytes <= 8) {
    const auto offset = static_cast<uint64_t>(op.offset);
    op.b = d.immediate(d.constants().word(op.mode, offset), d.constants().word(op.mode, offset + 4));
    op.run = known_constant;
  }
  return true;
}

void uniform_constant(Warp& w, const Op& op, uint32_t) {
  std::memcpy(w.row(op.target), w.in(op.b), kLanes * (op.size_bytes == 8 ? 8 : 4));
}
bool prepare_uldc(Decoder& d, Op& op) {
  if (!set_size(op) || op.size_bytes < 4 || op.size_bytes > 8) return false;
  const uint32_t bank = op.word.bits(54, 5), offset = op.word.bits(38, 16);
  op.b = d.immediate(d.constants().word(bank, offset), d.constants().word(bank, offset + 4));
  op.run = uniform_constant;
  return !op.word.bit(91);
}

/// Global to shared memory without a register between.
void ldgsts(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const Addresses from = global_addresses(w, op);
  const uint32_t* to = w.in(op.d);
  if (!locate(w, from.value[std::countr_zero(on)], op.size_bytes)) return;
  emulator::count_global(*w.count, from.value, on, op.size_bytes);
  note_request(w, from, on, op.size_bytes, false);
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint8_t* source = locate(w, from.value[lane], op.size_bytes);
    uint8_t* target = shared_bytes(w, (to[lane] + op.mode) & 0xffffff, op.size_bytes);
    if (!source || !target) return;
    std::memcpy(target, source, op.size_bytes);
  }
}
bool prepare_ldgsts(Decoder& d, Op& op) {
  set_global_address(d, op);
  op.d = d.source(op.word.bits(16, 8));
  op.offset = op.word.signed_bits(32, 12);
  op.mode = op.word.bits(44, 20);  // offset in shared memory
  op.run = ldgsts;
  return set_size(op) && op.size_bytes >= 4;
}

}  // namespace

const Row kMemoryRows[] = {
    {0x180, "LD", prepare_ld},   {0x181, "LDG", prepare_ldg}, {0x182, "LDC", prepare_ldc},
    {0x183, "LDL", prepare_ldl}, {0x184, "LDS", prepare_lds}, {0x185, "ST", prepare_st},
    {0x186, "STG", prepare_stg}, {0x187, "STL", prepare_stl}, {0x188, "STS", prepare_sts},
    {0x1ae, "LDGSTS", prepare_ldgsts}, {0x0b9, "ULDC", prepare_uldc, true}, {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass
