#include "warplens/run/ptx/decode/contraction.h"

#include <algorithm>

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

constexpr uint32_t kNone = ptx::kNone;

bool can_fuse(Type type) {
  return type == Type::kF32 || type == Type::kF64 || type == Type::kF32x2 || type == Type::kF16 ||
         type == Type::kF16x2 || type == Type::kBf16 || type == Type::kBf16x2;
}

/// A reader of a product: the add that could take it in, and with which sign.
struct Reader {
  uint32_t add = 0;
  uint8_t operand = 0;  // 1 or 2
  bool negated = false;
};

struct Product {
  bool fuses = false;
  std::vector<Reader> readers;
  std::vector<uint32_t> between;  // movs and negs
};

class Finder {
 public:
  Finder(const ptx::Module& module, const ptx::Function& function, const RegisterUses& uses)
      : module_(module), function_(function), uses_(uses), products_(function.instructions.size()) {}

  Contractions run() {
    const auto count = static_cast<uint32_t>(function_.instructions.size());
    Contractions result{std::vector<Contraction>(count), std::vector<uint8_t>(count)};
    if (std::none_of(module_.mnemonics.begin(), module_.mnemonics.end(),
                     [](const auto& m) { return is_loose_product(m); }))
      return result;
    number_blocks();
    for (uint32_t i = 0; i < count; ++i) find_product(i);
    while (drop_one()) continue;
    for (uint32_t i = 0; i < count; ++i) {
      if (!products_[i].fuses) continue;
      result.absorbed[i] = 1;
      for (const uint32_t k : products_[i].between) result.absorbed[k] = 1;
      for (const Reader& r : products_[i].readers) {
        const bool minus = mnemonic(r.add).opcode == Opcode::kSub;
        result.by_instruction[r.add] = {i, static_cast<uint8_t>(3 - r.operand), r.negated != (minus && r.operand == 2),
                                        minus && r.operand == 1};
      }
    }
    return result;
  }

 private:
  static bool rounds(const ptx::Mnemonic& m) {
    return m.has(Mod::kRn) || m.has(Mod::kRz) || m.has(Mod::kRm) || m.has(Mod::kRp);
  }
  /// A quotient by a reciprocal is one too.
  static bool is_loose_product(const ptx::Mnemonic& m) {
    if (m.opcode == Opcode::kDiv) return m.type() == Type::kF32 && (m.has(Mod::kApprox) || m.has(Mod::kFull));
    return m.opcode == Opcode::kMul && can_fuse(m.type()) && !rounds(m) && !m.has(Mod::kSat) && m.form >= 0;
  }

  const ptx::Mnemonic& mnemonic(uint32_t i) const { return module_.mnemonic(function_.instructions[i]); }
  const ptx::Operand& operand(uint32_t i, uint32_t k) const {
    return function_.operands_of(function_.instructions[i])[k];
  }

  /// Blocks as ptxas sees them: labels that nothing jumps to do not end one.
  void number_blocks() {
    std::vector<uint8_t> starts(function_.instructions.size() + 1);
    for (uint32_t i = 0; i < function_.instructions.size(); ++i) {
      const Opcode opcode = mnemonic(i).opcode;
      if (opcode == Opcode::kBra && operand(i, 0).kind == OperandKind::kLabel)
        starts[function_.labels[operand(i, 0).id].instruction] = 1;
      if (opcode == Opcode::kBra || opcode == Opcode::kBrxIdx || opcode == Opcode::kRet || opcode == Opcode::kExit ||
          opcode == Opcode::kCall)
        starts[i + 1] = 1;
    }
    for (const auto& targets : function_.branch_targets) {
      for (const uint32_t label : targets.labels) starts[function_.labels[label].instruction] = 1;
    }
    uint32_t block = 0;
    for (size_t i = 0; i < function_.instructions.size(); ++i) block_.push_back(block += starts[i]);
  }

  /// The register that instruction i alone writes, as its first operand and unguarded; kNone when it is not so.
  uint32_t own_register(uint32_t i) const {
    const ptx::Instruction& instruction = function_.instructions[i];
    if (instruction.operand_count == 0 || instruction.guard != kNone || operand(i, 0).kind != OperandKind::kRegister)
      return kNone;
    return uses_.writes[operand(i, 0).id].size() == 1 ? operand(i, 0).id : kNone;
  }

  bool changes_between(const ptx::Operand& o, uint32_t first, uint32_t last) const {
    if (o.kind != OperandKind::kRegister) return o.kind != OperandKind::kImmediate;
    const auto& writes = uses_.writes[o.id];
    return std::any_of(writes.begin(), writes.end(), [&](uint32_t w) { return w > first && w < last; });
  }

  void find_product(uint32_t i) {
    if (!is_loose_product(mnemonic(i)) || function_.instructions[i].operand_count != 3 || own_register(i) == kNone)
      return;
    Product& p = products_[i];
    p.fuses = follow(p, i, own_register(i), false) && !p.readers.empty();
  }

  /// Whether every reader of `reg`, which holds the product or its negative, can take the product in.
  bool follow(Product& p, uint32_t product, uint32_t reg, bool negated) {
    for (const RegisterUse& use : uses_.reads[reg]) {
      const uint32_t at = use.instruction;
      if (!use.whole || at <= product || block_[at] != block_[product]) return false;
      const ptx::Mnemonic &m = mnemonic(at), &mul = mnemonic(product);
      if (m.opcode == Opcode::kMov || (m.opcode == Opcode::kNeg && m.type() == mul.type() && !m.has(Mod::kFtz))) {
        const uint32_t copy = own_register(at);
        if (copy == kNone || !follow(p, product, copy, negated != (m.opcode == Opcode::kNeg))) return false;
        p.between.push_back(at);
        continue;
      }
      if (!takes_in(m, mul) || function_.instructions[at].operand_count != 3 || operand(at, 1) == operand(at, 2))
        return false;
      if (changes_between(operand(product, 1), product, at) || changes_between(operand(product, 2), product, at))
        return false;
      p.readers.push_back({at, static_cast<uint8_t>(use.operand), negated});
    }
    return true;
  }

  static bool takes_in(const ptx::Mnemonic& add, const ptx::Mnemonic& mul) {
    return (add.opcode == Opcode::kAdd || add.opcode == Opcode::kSub) && add.type() == mul.type() &&
           add.type_count == 1 && !rounds(add) && add.has(Mod::kFtz) == mul.has(Mod::kFtz) && add.form >= 0;
  }

  /// Finds an add that two products want and leaves it to one. False when there is none.
  bool drop_one() {
    std::vector<uint32_t> taken(products_.size(), kNone);
    std::vector<uint8_t> as(products_.size());
    for (uint32_t i = 0; i < products_.size(); ++i) {
      if (!products_[i].fuses) continue;
      for (const Reader& r : products_[i].readers) {
        const uint32_t other = taken[r.add];
        if (other == kNone) {
          taken[r.add] = i;
          as[r.add] = r.operand;
          continue;
        }
        const size_t here = products_[i].readers.size(), there = products_[other].readers.size();
        const bool keep_here = here != there ? here < there : r.operand < as[r.add];
        products_[keep_here ? other : i].fuses = false;
        return true;
      }
    }
    return false;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  const RegisterUses& uses_;
  std::vector<Product> products_;
  std::vector<uint32_t> block_;
};

}  // namespace

Contractions find_contractions(const ptx::Module& module, const ptx::Function& function, const RegisterUses& uses) {
  return Finder(module, function, uses).run();
}

}  // namespace warplens::simt::ptx_machine
