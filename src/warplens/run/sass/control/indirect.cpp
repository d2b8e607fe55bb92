// Ways that lanes go to an address: calls and returns, tables of targets, what the runtime does for a kernel.
#include <algorithm>
#include <bit>

#include "warplens/base/text.h"
#include "warplens/isa/sass/disassemble.h"
#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/control/system_calls.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {
namespace {

/// They go on where R20:21 says.
void return_from_system(Warp& w, uint64_t address, uint32_t lanes) {
  constexpr uint32_t kReturn = 20;
  Split then{.lanes = lanes};
  call_system(w, address, lanes, &then);
  const uint64_t back = wide(w.row(kReturn), std::countr_zero(lanes)) / 16;
  then.pc = static_cast<uint32_t>(std::min<uint64_t>(back, w.block->run->ops.size() - 1));
  w.splits.push_back(then);
}

/// The instruction that a pointer to a function leads to; -1: it is of a function that the kernel does not have.
int64_t pointed_to(const Program& program, uint64_t pointer) {
  const auto found = program.functions.find(static_cast<uint32_t>(pointer >> 32 & 0xffffff));
  return found == program.functions.end() ? -1
                                          : int64_t{found->second} + static_cast<int64_t>(pointer & 0xffffffff) / 16;
}

/// Lanes may hold different targets: each distinct one gets its own split.
void indirect(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* a = w.in(op.a);
  uint32_t left = on;
  keep_current(w, w.next, w.active & ~on);
  while (left) {
    const int first = std::countr_zero(left);
    const uint64_t address = wide(a, first);
    uint32_t same = 0;
    for (int i = first; i < kLanes; ++i) same |= static_cast<uint32_t>((left >> i & 1) && wide(a, i) == address) << i;
    if (op.mode && is_system_call(address)) {
      return_from_system(w, address, same);
      left &= ~same;
      continue;
    }
    const int64_t relative = op.mode ? 0 : int64_t{w.pc} + 1 + op.offset;
    const int64_t target = address >> 56 == kFunctionPointers >> 56 ? pointed_to(*w.block->run->program, address)
                                                                    : relative + static_cast<int64_t>(address) / 16;
    constexpr uint64_t kAlignment = 8;  // of pointers to functions
    if (address % kAlignment != 0)
      return w.block->fail(Stop::Kind::kMisaligned, fmt::format("a jump to {:#x}, where no function begins", address));
    // The kernel's first instruction is what a pointer of zero bytes leads to, and would be run for ever.
    if (target == w.block->run->program->entry)
      return w.block->fail(Stop::Kind::kInvalidPc, "a call through a pointer to no function");
    if (target < 0 || target >= static_cast<int64_t>(w.block->run->ops.size()))
      return w.block->fail(Stop::Kind::kInvalidPc, "a jump out of the code");
    w.splits.push_back({static_cast<uint32_t>(target), same});
    left &= ~same;
    // The hardware counts a call, not a return, to n functions as n - 1 branches that part.
    if (left && op.opcode != Opcode::kRet) ++w.count->divergent_branches;
  }
  std::erase_if(w.splits, [](const Split& s) { return s.lanes == 0; });
  leave(w);
}
bool prepare_indirect(Decoder& d, Op& op) {
  op.flow = true;
  op.a = d.source(op.word.bits(24, 8));
  op.offset = sass::branch_distance(op.word, d.program().architecture) / 16;
  op.run = indirect;
  return true;
}
bool prepare_brxu(Decoder& d, Op& op) {
  prepare_indirect(d, op);
  op.a = d.uniform(op.word.bits(24, 8));
  return true;
}
bool prepare_call(Decoder& d, Op& op) {
  return op.word.form() == 4 ? prepare_direct_call(d, op) : prepare_indirect(d, op);
}
/// LEPC: where an instruction lies, for who is called to return to: this one, or one by its distance from the next.
void load_code_address(Warp& w, const Op& op, uint32_t on) {
  Lanes low, high{};
  for (uint32_t& lane : low.value) lane = static_cast<uint32_t>(int64_t{op.index} * 16 + op.offset);
  store(w.row(op.target), low, on);
  store(w.row(op.target) + kLanes, high, on);
}
bool prepare_lepc(Decoder&, Op& op) {
  constexpr int kDistanceAt = 24;  // in bytes
  if (op.word.is(Form::kImmediateB)) op.offset = 16 + op.word.signed_bits(kDistanceAt, 8);
  op.run = load_code_address;
  return op.word.is(Form::kRegisters) || (op.word.is(Form::kImmediateB) && op.word.bits(32, 32) == 0);
}
/// All lanes call what the linker named.
void call_system_by_name(Warp& w, const Op& op, uint32_t on) {
  keep_current(w, w.next, w.active & ~on);
  if (on) return_from_system(w, static_cast<uint64_t>(op.offset), on);
  std::erase_if(w.splits, [](const Split& s) { return s.lanes == 0; });
  leave(w);
}
bool prepare_call_absolute(Decoder& d, Op& op) {
  op.mode = 1;
  if (op.word.form() == 1) return prepare_indirect(d, op);
  const int64_t target = sass::branch_distance(op.word, d.program().architecture);
  if (op.word.form() != 4 || !prepare_direct_call(d, op)) return false;
  op.offset = target / 16 - (int64_t{op.index} + 1);
  if (!is_system_call(static_cast<uint64_t>(target))) return true;
  op.offset = target;
  op.run = call_system_by_name;
  op.native = Native::kNone;
  return true;
}
/// RET.ABS goes to an address, RET.REL counts from the next instruction.
bool prepare_return(Decoder& d, Op& op) {
  constexpr int kAbsolute = 85;
  op.mode = op.word.bit(kAbsolute) ? 1 : 0;
  return prepare_indirect(d, op);
}

}  // namespace

const Row kIndirectRows[] = {
    {Opcode::kBrxu, prepare_brxu},    {Opcode::kBrx, prepare_indirect},          {Opcode::kRet, prepare_return},
    {Opcode::kCallRel, prepare_call}, {Opcode::kCallAbs, prepare_call_absolute}, {Opcode::kLepc, prepare_lepc},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
