#include "warplens/run/sass/decoder.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/run/sass/arithmetic/conversions.h"
#include "warplens/run/sass/code/uniform_constants.h"
#include "warplens/run/sass/known_words.h"
#include "warplens/simt/lane_isa.h"

namespace warplens::simt::sass_machine {

#ifdef WARPLENS_X86_LANES
namespace machine_code_avx512 {
WARPLENS_LANE_FAMILIES
}
#endif

namespace {

void run_unsupported(Warp& w, const Op& op, uint32_t) { w.block->fail(Stop::Kind::kUnsupported, described(op)); }

/// Op: offset = of the word in bank 0.
void run_unknown_word(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  w.block->fail(Stop::Kind::kUnsupported, described(op) + " reads " + unknown_word(static_cast<uint64_t>(op.offset)));
}

/// It ends the run instead.
void stop_at(Op& op, Handler end) {
  op.run = end;
  op.native = Native::kNone;
  op.flow = true;
  op.known = nullptr;
  op.known_count = 0;
}

void past_the_end(Warp& w, const Op&, uint32_t) { w.block->fail(Stop::Kind::kInvalidPc, "a jump out of the code"); }

Guard guard_at(const Word& word, int index_at, int not_at, bool uniform) {
  Guard out;
  out.index = static_cast<uint8_t>(word.bits(index_at, 3) + (uniform ? 8 : 0));
  out.inverted = word.bit(not_at);
  return out;
}

/// Does a uniform instruction write a register that a warp has?
bool known_target(const Decoder& d, const Op& op) {
  const uint32_t number = op.word.target();
  if (op.opcode == Opcode::kUplop3) return true;  // it writes predicates; a table stands there
  return d.program().architecture < 100 || !op.uniform || d.are_uniform(number, 1) || number == kRegisterZero;
}

using RowsByOpcode = std::array<const Row*, kOpcodes + 1>;  // the last, of Opcode::kUnknown, stays empty

RowsByOpcode index_rows(std::initializer_list<const Row*> families) {
  RowsByOpcode out{};
  for (const Row* family : families) {
    for (const Row* row = family; row->opcode != Opcode::kUnknown; ++row) out[static_cast<size_t>(row->opcode)] = row;
  }
  return out;
}

#define WARPLENS_ROWS_OF(isa)           \
  index_rows({kConversionRows,          \
              isa::kIntegerRows,        \
              isa::kIntegerExtremeRows, \
              isa::kLogicRows,          \
              isa::kTableRows,          \
              isa::kFloatRows,          \
              isa::kDoubleRows,         \
              isa::kHalfRows,           \
              isa::kConvertRows,        \
              isa::kPairFloatRows,      \
              isa::kExchangeRows,       \
              isa::kMemoryRows,         \
              isa::kGlobalRows,         \
              isa::kAtomicRows,         \
              isa::kMatrixRows,         \
              kGroupRows,               \
              kFlowRows,                \
              kIndirectRows,            \
              kClusterRows,             \
              kMbarrierRows,            \
              kBulkRows,                \
              kTensorRows,              \
              kRemoteRows,              \
              kElectRows,               \
              kBarrierRows,             \
              kUniformConstantRows,     \
              kTextureRows,             \
              kPairRows,                \
              kWideRows})

RowsByOpcode best_rows() {
#ifdef WARPLENS_X86_LANES
  if (simt::lane_isa() == "avx512") return WARPLENS_ROWS_OF(machine_code_avx512);
#endif
  return WARPLENS_ROWS_OF(machine_code);
}

}  // namespace

const Row* find_row(Opcode opcode) {
  static const RowsByOpcode rows = best_rows();
  return rows[static_cast<size_t>(opcode)];
}

std::string described(const Op& op) {
  const std::string_view name = instruction(op.opcode).name;
  return fmt::format("machine instruction {:016x}:{:016x} ({})", op.word.high, op.word.low,
                     name.empty() ? "unknown" : name);
}

Decoder::Decoder(const Program& program, const ConstantBanks& constants, uint32_t registers,
                 const VaryingConstants& varying)
    : program_(program), constants_(constants), layout_(registers, program.architecture), varying_(varying) {}

void Decoder::fill(uint32_t* lanes, uint32_t low, uint32_t high) {
  std::fill_n(lanes, kLanes, low);
  std::fill_n(lanes + kLanes, kLanes, high);
}

Operand Decoder::immediate(uint32_t low, uint32_t high) {
  auto& lanes = pool_[low | static_cast<uint64_t>(high) << 32];
  if (!lanes) {
    lanes = std::make_unique<uint32_t[]>(2 * kLanes);
    fill(lanes.get(), low, high);
  }
  Operand out;
  out.fixed = lanes.get();
  return out;
}

Operand Decoder::constant_lanes(const uint32_t* lanes) {
  lanes_.push_back(std::make_unique<uint32_t[]>(2 * kLanes));
  std::copy(lanes, lanes + kLanes, lanes_.back().get());
  Operand out;
  out.fixed = lanes_.back().get();
  return out;
}

uint32_t Decoder::constant_word(uint32_t bank, uint64_t offset) {
  return reads_.emplace_back(bank, constants_.word(bank, offset), offset).value;
}

Operand Decoder::constant(uint32_t bank, uint64_t offset) {
  if (!varying_.contains({bank, offset}) && !varying_.contains({bank, offset + 4})) {
    const uint32_t low = constant_word(bank, offset);
    return immediate(low, constant_word(bank, offset + 4));
  }
  const auto known =
      std::ranges::find_if(varying_lanes_, [&](const Varying& v) { return v.bank == bank && v.offset == offset; });
  Operand out;
  out.varies = true;
  if (known != varying_lanes_.end()) return out.fixed = known->lanes, out;
  uint32_t* lanes = lanes_.emplace_back(std::make_unique<uint32_t[]>(2 * kLanes)).get();
  fill(lanes, constants_.word(bank, offset), constants_.word(bank, offset + 4));
  varying_lanes_.emplace_back(bank, offset, lanes);
  return out.fixed = lanes, out;
}

bool Decoder::refill(VaryingConstants* varying) {
  bool same = true;
  for (const Read& read : reads_) {
    if (constants_.word(read.bank, read.offset) == read.value) continue;
    same = false;
    varying->insert({read.bank, read.offset});
  }
  if (!same) return false;
  for (const auto& [bank, offset, lanes] : varying_lanes_) {
    const uint32_t low = constants_.word(bank, offset), high = constants_.word(bank, offset + 4);
    if (lanes[0] != low || lanes[kLanes] != high) fill(lanes, low, high);
  }
  for (const auto& [known, lane] : varying_rows_) known_[known].value = *lane;
  return true;
}

void Decoder::operands(Op& op, bool wide) {
  const Word& w = op.word;
  const bool u = op.uniform;
  auto reg = [&](uint32_t number) { return u ? uniform(number) : source(number); };
  auto constant_at = [&] { return constant(w.bits(54, 5), w.bits(38, 16)); };
  auto imm = [&] { return wide ? immediate(0, w.bits(32, 32)) : immediate(w.bits(32, 32)); };
  op.a = reg(w.bits(24, 8));
  const Operand last = reg(w.bits(64, 8));
  op.b = op.c = last;
  switch (w.form()) {
    case 2: op.c = imm(); break;
    case 3: op.c = constant_at(); break;
    case 4: op.b = imm(); break;
    case 5: op.b = constant_at(); break;
    case 6: op.b = uniform(w.bits(32, 8)); break;
    case 7: op.c = uniform(w.bits(32, 8)); break;
    default: op.b = reg(w.bits(32, 8));
  }
}

void Decoder::signs(Op& op, uint32_t at64_signs) {
  const Word& w = op.word;
  const bool swapped = w.holds_c_low();
  op.a.negate = w.bit(72);
  op.a.absolute = w.bit(73);
  Operand& at32 = swapped ? op.c : op.b;
  Operand& at64 = swapped ? op.b : op.c;
  if (!w.has_immediate()) {
    at32.negate = w.bit(63);
    at32.absolute = w.bit(62);
  }
  at64.negate = w.bit(at64_signs + 1);
  at64.absolute = w.bit(at64_signs);
}

void Decoder::load_constants(Op& op, uint32_t words, uint32_t always) {
  op.known = known_.data() + known_.size();
  op.known_count = words;
  op.native = Native::kConstant;
  for (uint32_t k = 0; k < words; ++k) {
    const uint32_t* lane = op.b.fixed + size_t{k} * kLanes;
    if (op.b.varies) varying_rows_.push_back({known_.size(), lane});
    known_.push_back({op.target + k, *lane, always, op.b.varies});
  }
}

namespace {

/// Instructions one behind the other that load constants: the first does it for all. Each is one by itself for who
/// comes from elsewhere.
void join_constants(std::vector<Op>* ops) {
  for (size_t i = ops->size(); i-- > 1;) {
    Op &op = (*ops)[i - 1], &next = (*ops)[i];
    if (!op.plain || !op.known || !next.plain || !next.known) continue;
    op.known_count += next.known_count;
    op.more = next.more + 1;
  }
}

/// Touches registers and nothing else, however long it takes.
bool is_arithmetic(const Instruction& facts) {
  return facts.access == Access::kNone && facts.pipe != Pipe::kMemory && facts.pipe != Pipe::kControl;
}

}  // namespace

void forget_time(const Program& program, std::vector<Op>* ops) {
  for (size_t i = 0; i < program.code.size(); ++i) {
    Op& op = (*ops)[i];
    op.timed = false;
    op.plain |= !op.flow && !op.guarded && is_arithmetic(program.at(i));
  }
}

std::vector<Op> Decoder::decode() {
  std::vector<Op> ops(program_.code.size());
  known_.clear();
  known_.reserve(2 * ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    Op& op = ops[i];
    op.word = program_.code[i];
    op.index = static_cast<uint32_t>(i);
    const Instruction& facts = instruction_of(op.word, program_.architecture);
    op.opcode = facts.opcode;
    const Row* row = find_row(op.opcode);
    op.uniform = facts.uniform;
    op.guard = guard_at(op.word, 12, 15, op.uniform);
    op.guarded = (op.guard.index & 7) != 7 || op.guard.inverted;
    op.p = guard_at(op.word, 87, 90, op.uniform);
    op.q = guard_at(op.word, 77, 80, op.uniform);
    op.r = guard_at(op.word, 68, 71, op.uniform);
    op.set0 = static_cast<uint8_t>(op.word.bits(81, 3) + (op.uniform ? 8 : 0));
    op.set1 = static_cast<uint8_t>(op.word.bits(84, 3) + (op.uniform ? 8 : 0));
    op.target = op.uniform ? uniform_destination(op.word.bits(16, 8)) : destination(op.word.bits(16, 8));
    op.b = op.a = op.c = op.d = source(kRegisterZero);
    const size_t before = reads_.size();
    if (!row || !known_target(*this, op) || !row->prepare(*this, op)) {
      stop_at(op, run_unsupported);
    } else if (reads_.size() > before && !is_known_word(constants_, reads_[before].bank, reads_[before].offset)) {
      op.offset = static_cast<int64_t>(reads_[before].offset);
      stop_at(op, run_unknown_word);
    }
    op.inexact = op.inexact || !facts.exact.holds(op.word);
    op.timed = schedule_of(op.word, facts.latency).waits();
    op.plain = !op.flow && !op.guarded && !op.timed && facts.pipe != Pipe::kMemory;
  }
  join_constants(&ops);
  Op& last = ops.emplace_back();
  last.run = past_the_end;
  last.flow = true;
  last.index = static_cast<uint32_t>(program_.code.size());
  last.a = last.b = last.c = last.d = source(kRegisterZero);
  return ops;
}

}  // namespace warplens::simt::sass_machine
