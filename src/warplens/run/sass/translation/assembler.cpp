#include "warplens/run/sass/translation/assembler.h"

#include <cstring>

namespace warplens::simt::sass_machine {

void Assembler::bytes32(uint32_t value) {
  for (int at = 0; at < 32; at += 8) code.push_back(static_cast<uint8_t>(value >> at));
}

/// Memory with an offset of 32 bits.
void Assembler::memory(uint8_t reg, Place at) {
  code.push_back(static_cast<uint8_t>(0x80 | (reg & 7) << 3 | (at.base & 7)));
  bytes32(static_cast<uint32_t>(at.offset));
}

/// `x` and `b`: the bits of the second source, or of its index and base.
void Assembler::evex_prefix(VectorOp op, int reg, int first, int mask, bool x, bool b) {
  const auto bit = [](int of, int at) { return ~of >> at & 1; };  // these are kept inverted
  raw({0x62, static_cast<uint8_t>(bit(reg, 3) << 7 | !x << 6 | !b << 5 | bit(reg, 4) << 4 | op.map),
       static_cast<uint8_t>((op.wide ? 0x80 : 0) | (~first & 15) << 3 | 4 | op.prefix),
       static_cast<uint8_t>((op.lower ? 1 : 2) << 5 | bit(first, 4) << 3 | mask), op.opcode});
}

void Assembler::evex(VectorOp op, int reg, int first, int mask, int second, const Place* at) {
  if (!at) {
    evex_prefix(op, reg, first, mask, second & 16, second & 8);
    code.push_back(static_cast<uint8_t>(0xc0 | (reg & 7) << 3 | (second & 7)));
    return;
  }
  evex_prefix(op, reg, first, mask, false, at->base & 8);
  const int32_t units = at->offset / op.memory_bytes;
  if (at->offset % op.memory_bytes != 0 || units < -128 || units > 127)
    return memory(static_cast<uint8_t>(reg & 7), *at);
  code.push_back(static_cast<uint8_t>(0x40 | (reg & 7) << 3 | (at->base & 7)));
  code.push_back(static_cast<uint8_t>(units));
}

void Assembler::rounded(VectorOp op, int to, int first, int second, uint8_t mode, int mask) {
  evex_prefix(op, to, first, mask, second & 16, second & 8);
  uint8_t& lengths = code[code.size() - 2];  // the mode stands where they do
  lengths = static_cast<uint8_t>(mode << 5 | 0x10 | (lengths & 0x0f));
  code.push_back(static_cast<uint8_t>(0xc0 | (to & 7) << 3 | (second & 7)));
}

void Assembler::each_lane(VectorOp op, int to, Gpr base, int index, int mask, int32_t offset) {
  constexpr uint8_t kIndexed = 0x84;  // an offset of 32 bits, and a byte that names the index
  // The fifth bit of the index stands where a first source would have its own.
  evex_prefix(op, to, index & 16, mask, index & 8, base & 8);
  raw({static_cast<uint8_t>(kIndexed | (to & 7) << 3), static_cast<uint8_t>((index & 7) << 3 | (base & 7))});
  bytes32(static_cast<uint32_t>(offset));
}

// Moves between mask and general registers; `from` and `to` are eax to edi.
void Assembler::mask_from(int to, Gpr from) { raw({0xc5, 0xf8, 0x92, static_cast<uint8_t>(0xc0 | to << 3 | from)}); }
void Assembler::whole_mask_from(int to, Gpr from) {
  if (from < kR8) return raw({0xc5, 0xfb, 0x92, static_cast<uint8_t>(0xc0 | to << 3 | from)});
  raw({0xc4, 0xc1, 0x7b, 0x92, static_cast<uint8_t>(0xc0 | to << 3 | (from & 7))});
}
void Assembler::mask_of_upper(int to, int from, uint8_t by) {
  raw({0xc4, 0xe3, 0x79, 0x31, static_cast<uint8_t>(0xc0 | to << 3 | from), by});  // KSHIFTRD
}
void Assembler::copy_mask(int to, int from) { raw({0xc5, 0xf8, 0x90, static_cast<uint8_t>(0xc0 | to << 3 | from)}); }
void Assembler::fill_mask(int to) {  // KXNORW of one with itself
  raw({0xc5, static_cast<uint8_t>(0x84 | (~to & 15) << 3), 0x46, static_cast<uint8_t>(0xc0 | to << 3 | to)});
}
void Assembler::join_masks(int to, int low, int high) {
  raw({0xc5, static_cast<uint8_t>(0x80 | (~high & 15) << 3 | 4), 0x4b, static_cast<uint8_t>(0xc0 | to << 3 | low)});
}
void Assembler::join_bytes(int to, int low, int high) {
  raw({0xc5, static_cast<uint8_t>(0x85 | (~high & 15) << 3), 0x4b, static_cast<uint8_t>(0xc0 | to << 3 | low)});
}
void Assembler::register_from(Gpr to, int whole_mask) {
  raw({0xc5, 0xfb, 0x93, static_cast<uint8_t>(0xc0 | to << 3 | whole_mask)});
}

void Assembler::prefix(bool whole, uint8_t reg, uint8_t rm) {
  const auto rex = static_cast<uint8_t>(0x40 | (whole ? 8 : 0) | (reg >> 3) << 2 | rm >> 3);
  if (rex != 0x40) code.push_back(rex);
}
void Assembler::scalar(Scalar op, Gpr to, Gpr from, bool whole) {
  prefix(whole, from, to);
  raw({static_cast<uint8_t>(op), static_cast<uint8_t>(0xc0 | (from & 7) << 3 | (to & 7))});
}
void Assembler::scalar(Scalar op, Gpr to, Place from, bool whole) {
  prefix(whole, to, from.base);
  code.push_back(static_cast<uint8_t>(static_cast<uint8_t>(op) | 2));  // the other way round
  memory(to, from);
}
void Assembler::scalar(Scalar op, Gpr to, int32_t value, bool whole) {
  prefix(whole, 0, to);
  raw({0x81, static_cast<uint8_t>(0xc0 | (static_cast<uint8_t>(op) & 0x38) | (to & 7))});
  bytes32(static_cast<uint32_t>(value));
}
void Assembler::add_to(Place to, Gpr from) {
  prefix(true, from, to.base);
  code.push_back(0x01);
  memory(from, to);
}
void Assembler::add_to(Place to, int32_t value) {
  prefix(true, 0, to.base);
  code.push_back(0x81);
  memory(0, to);
  bytes32(static_cast<uint32_t>(value));
}
void Assembler::count_bits(Gpr to, Gpr of) {
  code.push_back(0xf3);
  prefix(false, to, of);
  raw({0x0f, 0xb8, static_cast<uint8_t>(0xc0 | (to & 7) << 3 | (of & 7))});  // POPCNT
}
void Assembler::shift_left(Gpr of, uint8_t bits, bool whole) {
  prefix(whole, 0, of);
  raw({0xc1, static_cast<uint8_t>(0xe0 | (of & 7)), bits});
}
void Assembler::shift_right(Gpr of, uint8_t bits, bool whole) {
  prefix(whole, 0, of);
  raw({0xc1, static_cast<uint8_t>(0xe8 | (of & 7)), bits});
}
void Assembler::first_bit(Gpr to, Gpr of) {
  code.push_back(0xf3);
  prefix(false, to, of);
  raw({0x0f, 0xbc, static_cast<uint8_t>(0xc0 | (to & 7) << 3 | (of & 7))});  // TZCNT
}
void Assembler::test_bits(Gpr of, uint8_t bits) {
  prefix(false, 0, of);
  raw({0xf7, static_cast<uint8_t>(0xc0 | (of & 7))});
  bytes32(bits);
}
void Assembler::load_indexed(Gpr to, Place from, Gpr index) {
  constexpr uint8_t kIndexed = 0x84, kFourBytes = 0x80;
  raw({0x8b, static_cast<uint8_t>(kIndexed | to << 3), static_cast<uint8_t>(kFourBytes | index << 3 | from.base)});
  bytes32(static_cast<uint32_t>(from.offset));
}
void Assembler::prefetch(Gpr at, Gpr index, int32_t offset) {
  constexpr uint8_t kToAll = 0x84 | 1 << 3, kFourBytes = 0x80;  // PREFETCHT0
  raw({0x0f, 0x18, kToAll, static_cast<uint8_t>(kFourBytes | index << 3 | at)});
  bytes32(static_cast<uint32_t>(offset));
}
void Assembler::move_whole(Gpr to, Gpr from) {
  prefix(true, from, to);
  raw({0x89, static_cast<uint8_t>(0xc0 | (from & 7) << 3 | (to & 7))});
}
void Assembler::invert(Gpr to) {
  prefix(false, 0, to);
  raw({0xf7, static_cast<uint8_t>(0xd0 | (to & 7))});
}
void Assembler::constant(Gpr to, uint32_t value) {
  prefix(false, 0, to);
  code.push_back(static_cast<uint8_t>(0xb8 | (to & 7)));
  bytes32(value);
}
void Assembler::constant_signed(Gpr to, int32_t value) {
  prefix(true, 0, to);
  raw({0xc7, static_cast<uint8_t>(0xc0 | (to & 7))});
  bytes32(static_cast<uint32_t>(value));
}
void Assembler::address(Gpr to, const void* value) {
  prefix(true, 0, to);
  code.push_back(static_cast<uint8_t>(0xb8 | (to & 7)));
  const auto bits = reinterpret_cast<uint64_t>(value);
  bytes32(static_cast<uint32_t>(bits));
  bytes32(static_cast<uint32_t>(bits >> 32));
}
void Assembler::load(Gpr to, Place from, bool whole) {
  prefix(whole, to, from.base);
  code.push_back(0x8b);
  memory(to, from);
}
void Assembler::store(Place to, Gpr from, bool whole) {
  prefix(whole, from, to.base);
  code.push_back(0x89);
  memory(from, to);
}
void Assembler::store_constant(Place to, uint32_t value) {
  prefix(false, 0, to.base);
  code.push_back(0xc7);
  memory(0, to);
  bytes32(value);
}
void Assembler::store_byte(Place to, uint8_t value) {
  prefix(false, 0, to.base);
  code.push_back(0xc6);
  memory(0, to);
  code.push_back(value);
}
void Assembler::compare_byte(Place with, uint8_t value) {
  prefix(false, 0, with.base);
  code.push_back(0x80);
  memory(7, with);
  code.push_back(value);
}
void Assembler::compare_half(Place with, uint16_t value) {
  code.push_back(0x66);
  prefix(false, 0, with.base);
  code.push_back(0x81);
  memory(7, with);
  raw({static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8)});
}
void Assembler::compare(Place with, uint32_t value) {
  prefix(false, 0, with.base);
  code.push_back(0x81);
  memory(7, with);
  bytes32(value);
}
void Assembler::address_of(Gpr to, Place of) {
  prefix(true, to, of.base);
  code.push_back(0x8d);
  memory(to, of);
}
void Assembler::load_from_stack(Gpr to) {
  prefix(true, to, 0);
  raw({0x8b, static_cast<uint8_t>(0x04 | (to & 7) << 3), 0x24});
}
void Assembler::push(Gpr from) {
  prefix(false, 0, from);
  code.push_back(static_cast<uint8_t>(0x50 | (from & 7)));
}
void Assembler::pop(Gpr to) {
  prefix(false, 0, to);
  code.push_back(static_cast<uint8_t>(0x58 | (to & 7)));
}
void Assembler::call(Gpr to) {
  clear_upper();
  prefix(false, 0, to);
  raw({0xff, static_cast<uint8_t>(0xd0 | (to & 7))});
}
void Assembler::clear_upper() { raw({0xc5, 0xf8, 0x77}); }
void Assembler::jump_to(Gpr to) {
  prefix(false, 0, to);
  raw({0xff, static_cast<uint8_t>(0xe0 | (to & 7))});
}

size_t Assembler::jump() {
  code.push_back(0xe9);
  bytes32(0);
  return code.size() - 4;
}
size_t Assembler::jump(When when) {
  raw({0x0f, static_cast<uint8_t>(0x80 | static_cast<uint8_t>(when))});
  bytes32(0);
  return code.size() - 4;
}
void Assembler::aim(size_t at, size_t target) {
  const auto distance = static_cast<uint32_t>(target - (at + 4));
  std::memcpy(code.data() + at, &distance, 4);
}

}  // namespace warplens::simt::sass_machine
