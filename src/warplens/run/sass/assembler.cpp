#include "warplens/run/sass/assembler.h"

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

void Assembler::evex(VectorOp op, int reg, int first, int mask, int second, const Place* at) {
  constexpr int kVectorBytes = 64;
  const auto bit = [](int of, int at_) { return static_cast<uint8_t>(~of >> at_ & 1); };  // these are kept inverted
  const uint8_t x = at ? 1 : bit(second, 4), b = at ? bit(at->base, 3) : bit(second, 3);
  code.push_back(0x62);
  code.push_back(static_cast<uint8_t>(bit(reg, 3) << 7 | x << 6 | b << 5 | bit(reg, 4) << 4 | op.map));
  code.push_back(static_cast<uint8_t>((op.wide ? 0x80 : 0) | (~first & 15) << 3 | 4 | op.prefix));
  code.push_back(static_cast<uint8_t>(2 << 5 | bit(first, 4) << 3 | mask));
  code.push_back(op.opcode);
  if (!at) {
    code.push_back(static_cast<uint8_t>(0xc0 | (reg & 7) << 3 | (second & 7)));
    return;
  }
  const int32_t units = at->offset / kVectorBytes;
  if (at->offset % kVectorBytes != 0 || units < -128 || units > 127) return memory(static_cast<uint8_t>(reg & 7), *at);
  code.push_back(static_cast<uint8_t>(0x40 | (reg & 7) << 3 | (at->base & 7)));
  code.push_back(static_cast<uint8_t>(units));
}

// Moves between mask and general registers; `from` and `to` are eax to edi.
void Assembler::mask_from(int to, Gpr from) { raw({0xc5, 0xf8, 0x92, static_cast<uint8_t>(0xc0 | to << 3 | from)}); }
void Assembler::whole_mask_from(int to, Gpr from) {
  if (from < kR8) return raw({0xc5, 0xfb, 0x92, static_cast<uint8_t>(0xc0 | to << 3 | from)});
  raw({0xc4, 0xc1, 0x7b, 0x92, static_cast<uint8_t>(0xc0 | to << 3 | (from & 7))});
}
void Assembler::mask_of_upper(int to, int from) {
  raw({0xc4, 0xe3, 0x79, 0x31, static_cast<uint8_t>(0xc0 | to << 3 | from), 16});  // KSHIFTRD
}
void Assembler::join_masks(int to, int low, int high) {
  raw({0xc5, static_cast<uint8_t>(0x80 | (~high & 15) << 3 | 4), 0x4b, static_cast<uint8_t>(0xc0 | to << 3 | low)});
}
void Assembler::register_from(Gpr to, int whole_mask) {
  raw({0xc5, 0xfb, 0x93, static_cast<uint8_t>(0xc0 | to << 3 | whole_mask)});
}

void Assembler::prefix(bool whole, uint8_t reg, uint8_t rm) {
  const auto rex = static_cast<uint8_t>(0x40 | (whole ? 8 : 0) | (reg >> 3) << 2 | rm >> 3);
  if (rex != 0x40) code.push_back(rex);
}
void Assembler::scalar(Scalar op, Gpr to, Gpr from) {
  prefix(false, from, to);
  raw({static_cast<uint8_t>(op), static_cast<uint8_t>(0xc0 | (from & 7) << 3 | (to & 7))});
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
void Assembler::address(Gpr to, const void* value) {
  prefix(true, 0, to);
  code.push_back(static_cast<uint8_t>(0xb8 | (to & 7)));
  const auto bits = reinterpret_cast<uint64_t>(value);
  bytes32(static_cast<uint32_t>(bits));
  bytes32(static_cast<uint32_t>(bits >> 32));
}
void Assembler::subtract(Gpr from, uint32_t value) {
  prefix(false, 0, from);
  raw({0x81, static_cast<uint8_t>(0xe8 | (from & 7))});
  bytes32(value);
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
  prefix(false, 0, to);
  raw({0xff, static_cast<uint8_t>(0xd0 | (to & 7))});
}
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
