#include "warplens/report/loops.h"

#include <algorithm>
#include <array>
#include <bitset>

#include "warplens/isa/sass/disassemble.h"

namespace warplens::report {
namespace {

using sass::Category, sass::Form, sass::Opcode, sass::Word;
using simt::sass_machine::Program;

constexpr uint32_t kInstructionBytes = 16, kNone = 255,
                   kAlways = 7;  // kAlways: the guard of an instruction without one

/// A register of lanes, or from 256 on one of uniform registers.
constexpr size_t kUniform = 256;
using Registers = std::bitset<2 * kUniform>;

struct Operands {
  std::array<size_t, 3> all{kNone, kNone, kNone};
  size_t known = 0;  // of them
  void add(size_t r) { all[known++] = r; }
};

bool is_comparison(const sass::Instruction& i) { return i.name.ends_with("SETP"); }

bool names_no_register(size_t r, bool uniform) { return r == kNone || (uniform && (r & 63) == 63); }

bool is_plain_move(Opcode opcode) {
  return opcode == Opcode::kMov || opcode == Opcode::kUmov || opcode == Opcode::kCs2r;
}

/// A load of a parameter, at an address in the instruction.
bool is_constant(const sass::Instruction& i, const Word& word) {
  return i.access == sass::Access::kConstantLoad && (i.uniform || word.source_a() == kNone);
}

/// Registers that an integer instruction reads. Other fields stand there in comparisons and sums of two.
Operands sources_of(const sass::Instruction& instruction, const Word& word) {
  Operands out;
  const auto add = [&](size_t r, bool uniform) {
    if (!names_no_register(r, uniform)) out.add(uniform ? kUniform + (r & 63) : r);
  };
  const bool uniform = instruction.uniform;
  const bool moves = is_plain_move(instruction.opcode);
  if (!moves) add(word.source_a(), uniform);
  if (word.is(Form::kRegisters)) add(word.source_low(), uniform);
  else if (word.is(Form::kUniformB) || word.is(Form::kUniformC)) add(word.source_low(), true);
  if (!moves && !is_comparison(instruction) && instruction.opcode != Opcode::kViadd) add(word.source_high(), uniform);
  return out;
}

bool writes_registers(const sass::Instruction& i) {
  return i.category != Category::kControl && i.category != Category::kStore && !is_comparison(i);
}

/// Sums of registers, or of a register's multiple: an address of a counter is one.
bool is_sum(Opcode opcode) {
  switch (opcode) {
    case Opcode::kIadd3:
    case Opcode::kViadd:
    case Opcode::kImad:
    case Opcode::kImadWide:
    case Opcode::kLea:
    case Opcode::kUiadd3:
    case Opcode::kUimad:
    case Opcode::kUimadWide:
    case Opcode::kUlea: return true;
    default: return false;
  }
}

bool is_product(Opcode opcode) {
  return opcode == Opcode::kImad || opcode == Opcode::kImadWide || opcode == Opcode::kUimad ||
         opcode == Opcode::kUimadWide;
}

/// R1 = R2, in one of its forms.
bool is_move(const sass::Instruction& i, const Word& word) {
  if (!word.is(Form::kRegisters)) return false;
  if (i.opcode == Opcode::kMov || i.opcode == Opcode::kUmov) return true;
  return i.opcode == Opcode::kImad && word.source_a() == kNone && word.source_low() == kNone &&
         word.source_high() != kNone && !word.negates_high();
}

/// A loop, with those inside it: [begin, branch].
class Loop {
 public:
  Loop(const Program& program, size_t begin, size_t branch) : program_(program), begin_(begin), branch_(branch) {
    for (size_t k = begin; k < branch; ++k) written_ |= targets_of(k);
    find_sums();
    for (size_t k = begin; k < branch; ++k)
      if (steps(k)) counters_ |= targets_of(k);
  }

  /// Does the branch back depend on a comparison of a counter with what stays?
  bool counts() const {
    const sass::Disassembled text = text_of(branch_);
    if (text.predicate == kAlways) return false;
    for (size_t k = branch_; k-- > begin_;) {
      if (is_comparison(program_.at(k)) && answer_of(k) == text.predicate) return compares_counter(k);
    }
    return false;
  }

  void mark(LoopOverhead* out) const {
    out->spared[branch_] = true;
    const Registers addresses = used_as_addresses();
    for (size_t k = begin_; k < branch_; ++k) {
      const Registers targets = targets_of(k);
      const bool folded = steps(k) || renames(k) || compares_counter(k);
      const bool address = targets.any() && (targets & ~addresses).none();
      if (folded || address || goes_by_counter(k)) out->spared[k] = true;
      if (loads_next_word(k)) out->joined[k] = true;
    }
  }

 private:
  uint32_t answer_of(size_t k) const { return program_.code[k].bits(81, 3); }  // the predicate that a comparison sets

  sass::Disassembled text_of(size_t k) const {
    return sass::disassemble(program_.code[k], static_cast<uint32_t>(k) * kInstructionBytes, program_.architecture);
  }
  bool guarded(size_t k) const { return guard_of(k) != kAlways; }
  uint32_t guard_of(size_t k) const { return program_.code[k].bits(12, 3); }

  Registers targets_of(size_t k) const {
    const sass::Instruction& i = program_.at(k);
    Registers out;
    const uint32_t target = program_.code[k].target();
    if (!writes_registers(i) || names_no_register(target, i.uniform)) return out;
    for (size_t r = 0; r < registers_of(i); ++r)
      if (target + r < kNone) out.set((i.uniform ? kUniform + (target & 63) : target) + r);
    return out;
  }
  /// At most: a load's registers, or a matrix instruction's, may be four.
  static size_t registers_of(const sass::Instruction& i) {
    if (i.opcode == Opcode::kImadWide || i.opcode == Opcode::kUimadWide || i.opcode == Opcode::kCs2r) return 2;
    switch (i.category) {
      case Category::kInteger:
      case Category::kMove:
      case Category::kUniform:
      case Category::kFp32: return 1;
      default: return 4;
    }
  }

  bool stays(size_t r) const { return !written_[r]; }

  /// Registers that hold nothing but sums of constants, of what stays and of each other.
  void find_sums() {
    sums_ = written_;
    for (Registers before; before != sums_;) {
      before = sums_;
      for (size_t k = begin_; k < branch_; ++k)
        if (!sums_up(k)) sums_ &= ~targets_of(k);
    }
  }
  bool sums_up(size_t k) const {
    const sass::Instruction& i = program_.at(k);
    if (guarded(k)) return false;
    if (is_constant(i, program_.code[k])) return true;
    if (!is_sum(i.opcode) && !is_plain_move(i.opcode)) return false;
    size_t changing = 0;
    const Operands sources = sources_of(i, program_.code[k]);
    for (size_t s = 0; s < sources.known; ++s) {
      if (stays(sources.all[s])) continue;
      if (!sums_[sources.all[s]]) return false;
      ++changing;
    }
    return changing < 2 || !is_product(i.opcode) || program_.code[k].is(Form::kImmediateB);
  }

  /// Adds the same to its register in each turn.
  bool steps(size_t k) const {
    const sass::Instruction& i = program_.at(k);
    const Word& word = program_.code[k];
    const size_t own = i.uniform ? kUniform + (word.target() & 63) : word.target();
    if (!is_sum(i.opcode) || registers_of(i) > 1 || !sums_[own]) return false;
    const Operands sources = sources_of(i, word);
    size_t found = 0;
    for (size_t s = 0; s < sources.known; ++s) {
      if (sources.all[s] == own) ++found;
      else if (!stays(sources.all[s])) return false;
    }
    return found == 1 && !multiplies(i, word);
  }
  /// R1 = R1 * a + b is no step.
  static bool multiplies(const sass::Instruction& i, const Word& word) {
    const bool by_one = word.is(Form::kImmediateB) && word.immediate() == 1;
    return is_product(i.opcode) && word.source_a() == word.target() && !by_one;
  }

  /// A move of every turn; one under a predicate chooses between two values, and stays.
  bool renames(size_t k) const { return !guarded(k) && is_move(program_.at(k), program_.code[k]); }

  bool compares_counter(size_t k) const {
    const sass::Instruction& i = program_.at(k);
    if (i.opcode != Opcode::kIsetp && i.opcode != Opcode::kUisetp) return false;
    bool counter = false;
    const Operands sources = sources_of(i, program_.code[k]);
    for (size_t s = 0; s < sources.known; ++s) {
      if (counters_[sources.all[s]]) counter = true;
      else if (!stays(sources.all[s]) && !sums_[sources.all[s]]) return false;
    }
    return counter;
  }

  /// A branch that a comparison of a counter decides.
  bool goes_by_counter(size_t k) const {
    if (!sass::is_branch(program_.at(k).opcode) || !guarded(k)) return false;
    for (size_t j = k; j-- > begin_;)
      if (is_comparison(program_.at(j)) && answer_of(j) == guard_of(k)) return compares_counter(j);
    return false;
  }

  /// Of the sums, those that are used as addresses, or for such a sum, and for nothing else.
  Registers used_as_addresses() const {
    Registers out = sums_ & ~counters_;
    for (Registers before; before != out;) {
      before = out;
      for (size_t k = begin_; k < branch_; ++k) out &= ~used_otherwise(k, out);
    }
    return out;
  }
  Registers used_otherwise(size_t k, const Registers& addresses) const {
    const sass::Instruction& i = program_.at(k);
    const Word& word = program_.code[k];
    Registers out;
    const Registers targets = targets_of(k);
    if (is_sum(i.opcode) && targets.any() && (targets & ~(addresses | counters_)).none()) return out;
    const bool memory = i.access != sass::Access::kNone;
    const Operands sources = sources_of(i, word);
    for (size_t s = 0; s < sources.known; ++s) {
      const bool address = memory && sources.all[s] == word.source_a();
      if (!address) out.set(sources.all[s]);
    }
    if (i.category == Category::kStore) out.set(word.source_low());
    return out;
  }

  /// A load of four bytes of shared memory whose address goes on by as many in each turn, of all lanes together.
  bool loads_next_word(size_t k) const {
    const Word& word = program_.code[k];
    constexpr uint32_t kWord = 4;
    constexpr int kBased = 91;  // on a uniform register
    if (program_.at(k).access != sass::Access::kSharedLoad || !word.bit(kBased) || word.source_a() != kNone ||
        text_of(k).width_bytes != kWord)
      return false;
    const size_t address = kUniform + (word.source_low() & 63);
    for (size_t j = begin_; j < branch_; ++j) {
      const Word& step = program_.code[j];
      if (steps(j) && targets_of(j)[address] && step.is(Form::kImmediateB) && step.immediate() == kWord) return true;
    }
    return false;
  }

  const Program& program_;
  size_t begin_, branch_;
  Registers written_;          // in the loop
  Registers sums_, counters_;  // of these
};

}  // namespace

size_t begin_of_loop(const Program& program, size_t branch) {
  if (program.at(branch).category != Category::kControl) return branch;
  const sass::Disassembled text =
      sass::disassemble(program.code[branch], static_cast<uint32_t>(branch) * kInstructionBytes, program.architecture);
  return text.is_branch && text.has_target ? std::min<size_t>(text.target / kInstructionBytes, branch) : branch;
}

LoopOverhead loop_overhead(const Program& program) {
  LoopOverhead out{std::vector<bool>(program.code.size()), std::vector<bool>(program.code.size())};
  for (size_t k = 0; k < program.code.size(); ++k) {
    const size_t begin = begin_of_loop(program, k);
    if (begin == k) continue;
    const Loop loop(program, begin, k);
    if (loop.counts()) loop.mark(&out);
  }
  return out;
}

}  // namespace warplens::report
