// From machine words to Ops. Each family of instructions prepares its own; an unknown instruction runs into a stop that
// names it.
#pragma once
#include <map>
#include <memory>

#include "warplens/run/sass/code_cache.h"
#include "warplens/run/sass/op.h"
#include "warplens/run/sass/program.h"
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::sass_machine {

/// Row numbers of a warp's register file.
struct Layout {
  Layout(uint32_t registers, int architecture)
      : uniform_registers(architecture >= 100 ? 95 : 63),
        zero(registers),
        trash(registers + 4),
        uniform(registers + 8),
        rows(registers + 8 + uniform_registers + 5) {}
  uint32_t uniform_registers;  // numbers above are URZ: 255 from compute capability 10.0 on, 63 before
  uint32_t zero, trash, uniform, rows;
};

class Decoder {
 public:
  /// `constants` are the constant banks as the launch sees them; `varying`: those that later launches change.
  Decoder(const Program& program, const ConstantBanks& constants, uint32_t registers,
          const VaryingConstants& varying = {});

  /// All instructions of the program, prepared, and one more that stops execution past the end.
  std::vector<Op> decode();
  /// The constant banks are now another launch's: decoded instructions get their words. False if that is not enough:
  /// words have changed that were not known to vary, which `varying` now names too.
  bool refill(VaryingConstants* varying);

  const Layout& layout() const { return layout_; }
  const Program& program() const { return program_; }

  // Helpers for the families while they prepare `op` (its word is set).
  Operand source(uint32_t number) const { return row(held(number) ? number : layout_.zero); }
  Operand uniform(uint32_t number) const {
    return row(number >= layout_.uniform_registers ? layout_.zero : layout_.uniform + number);
  }
  /// The uniform register at bit 64, which has 6 bits before compute capability 10.0.
  Operand uniform_high(const Word& word) const { return uniform(word.bits(64, program_.architecture >= 100 ? 8 : 6)); }
  /// Are these registers in a row, none of them URZ?
  bool are_uniform(uint32_t first, uint32_t count) const { return first + count <= layout_.uniform_registers; }
  uint32_t destination(uint32_t number) const { return held(number) ? number : layout_.trash; }
  uint32_t uniform_destination(uint32_t number) const {
    return number >= layout_.uniform_registers ? layout_.trash : layout_.uniform + number;
  }
  Operand immediate(uint32_t low, uint32_t high = 0);
  /// A word of constant memory, and of 64 bits the next. Lanes of those that vary are filled in anew.
  Operand constant(uint32_t bank, uint64_t offset);
  /// The word itself: when it changes all is decoded anew.
  uint32_t constant_word(uint32_t bank, uint64_t offset);
  /// 32 lanes of one word.
  Operand constant_lanes(const uint32_t* lanes);
  /// A row of the warp's register file.
  static Operand row(uint32_t number) {
    Operand out;
    out.row = number;
    return out;
  }
  /// The operands a, b and c by the word's form, without modifiers; `wide`: immediates are high words of doubles.
  void operands(Op& op, bool wide = false);
  /// Makes `op` an instruction that loads constants: the first `words` of its operand b, which is one.
  void load_constants(Op& op, uint32_t words, uint32_t always = 0);
  /// The signs of a, b and c in floating-point instructions. `at64_signs`: the bit that makes the source at bit 64
  /// absolute, before the one that negates it.
  static void signs(Op& op, uint32_t at64_signs = 74);

 private:
  /// Does the warp have this register, and the next three that a wide access takes?
  bool held(uint32_t number) const { return number < kRegisterZero && number + 4 <= layout_.zero; }
  /// The words of constant memory that were read.
  struct Read {
    uint32_t bank = 0, value = 0;
    uint64_t offset = 0;
  };
  struct Varying {
    uint32_t bank = 0;
    uint64_t offset = 0;
    uint32_t* lanes = nullptr;
  };
  struct VaryingRow {
    size_t known = 0;
    const uint32_t* lane = nullptr;
  };
  static void fill(uint32_t* lanes, uint32_t low, uint32_t high);
  const Program& program_;
  const ConstantBanks& constants_;
  Layout layout_;
  VaryingConstants varying_;
  std::vector<Read> reads_;               // words that must stay as they are
  std::vector<Varying> varying_lanes_;    // and those that need not
  std::vector<VaryingRow> varying_rows_;  // of known_: values of lanes
  std::map<uint64_t, std::unique_ptr<uint32_t[]>> pool_;
  std::vector<std::unique_ptr<uint32_t[]>> lanes_;
  std::vector<KnownRow> known_;  // of all instructions, in their order
};

/// Without counting, instruction times are not needed.
void forget_time(const Program& program, std::vector<Op>* ops);

/// The families that prepare instructions.
struct Row {
  Opcode opcode;
  bool (*prepare)(Decoder& decoder, Op& op);  // false: a modifier that is not known
};

/// The families' rows; each ends at Opcode::kUnknown. Those that work on lanes are compiled for several instruction
/// sets: see isa.h.
#define WARPLENS_LANE_FAMILIES                                                                                     \
  extern const Row kIntegerRows[], kIntegerExtremeRows[], kLogicRows[], kTableRows[], kFloatRows[], kDoubleRows[], \
      kHalfRows[], kConvertRows[], kPairFloatRows[], kExchangeRows[], kMemoryRows[], kGlobalRows[], kAtomicRows[], \
      kMatrixRows[];
inline namespace WARPLENS_ISA_NAME {
WARPLENS_LANE_FAMILIES
}
extern const Row kGroupRows[], kFlowRows[], kIndirectRows[], kBarrierRows[], kClusterRows[], kMbarrierRows[],
    kBulkRows[], kTensorRows[], kRemoteRows[], kElectRows[], kTextureRows[], kPairRows[], kWideRows[];

/// nullptr for an opcode that no family knows.
const Row* find_row(Opcode opcode);
/// "machine instruction 0123...:4567... (NAME)", for messages.
std::string described(const Op& op);

}  // namespace warplens::simt::sass_machine
