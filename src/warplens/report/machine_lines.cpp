#include "warplens/report/machine_lines.h"

#include <algorithm>
#include <map>

#include "warplens/report/instruction_class.h"
#include "warplens/report/loops.h"
#include "warplens/report/precise_function.h"

namespace warplens::report {
namespace {

constexpr uint32_t kStackPointer = 1;  // R1
constexpr uint32_t kNoRegister = 255;

using sass::Access, sass::Instruction, sass::Opcode, sass::Precision;

void add_load(const sass::Word& word, const simt::InstructionCounts& c, LineCounts* line) {
  line->global_load.add(c);
  if (is_broadcast(c)) line->broadcast.add(c);
  line->load_bytes = std::max(line->load_bytes, kLaneBytes[word.width_code()]);
}

void add_store(const sass::Word& word, const simt::InstructionCounts& c, LineCounts* line) {
  line->global_store.add(c);
  line->store_bytes = std::max(line->store_bytes, kLaneBytes[word.width_code()]);
}

void add_access(Access access, const sass::Word& word, const simt::InstructionCounts& c, LineCounts* line) {
  switch (access) {
    case Access::kGlobalLoad:
    case Access::kGlobalCopy: return add_load(word, c, line);
    case Access::kGlobalStore: return add_store(word, c, line);
    case Access::kLocalLoad:
    case Access::kLocalStore:
      line->local.add(c);
      if (word.source_a() == kStackPointer) line->spill.add(c);
      return;
    case Access::kSharedLoad: return line->shared_load.add(c);
    case Access::kSharedStore: return line->shared_store.add(c);
    case Access::kSharedAtomic: return line->shared_atomics.add(c);
    case Access::kConstantLoad: return line->constant_load.add(c);
    case Access::kGenericLoad:
    case Access::kGenericStore: {
      const GenericCounts parts = split_generic(c);
      const bool load = access == Access::kGenericLoad;
      (load ? line->global_load : line->global_store).add(parts.global);
      (load ? line->shared_load : line->shared_store).add(parts.shared);
      line->local.add(parts.local);
      return;
    }
    case Access::kGenericAtomic:
    case Access::kGlobalAtomic:
    case Access::kReduction: return line->atomics.add(c);
    default: return;
  }
}

/// Where a line keeps its fused products of a precision; nullptr: it is none, or moves a constant (0 * 0 + constant).
uint64_t* fused_of(Opcode opcode, const sass::Word& word, LineCounts* line) {
  if (word.source_a() == kNoRegister) return nullptr;
  switch (opcode) {
    case Opcode::kFfma: return &line->fp32_fma;
    case Opcode::kDfma: return &line->fp64_fma;
    case Opcode::kHfma2:
    case Opcode::kHfma2Mma: return &line->half_fma;
    default: return nullptr;
  }
}

void add_to_pipe(const Instruction& instruction, const sass::Word& word, uint64_t executions, LineCounts* line) {
  switch (instruction.pipe) {
    case sass::Pipe::kFma:
    case sass::Pipe::kFp64:
    case sass::Pipe::kHalf:
      line->floating += executions;
      if (static_cast<sass::Form>(word.form()) != sass::Form::kRegisters) line->fixed_operands += executions;
      break;
    case sass::Pipe::kAlu:
    case sass::Pipe::kImad:
    case sass::Pipe::kUniform: line->integer += executions; break;
    default: break;
  }
  if (sass::is_branch(instruction.opcode)) line->branches += executions;
}

void add_precise(const Instruction& instruction, const sass::Word& word, uint64_t executions, LineCounts* line) {
  const int k = precise_function(instruction.opcode, word);
  if (k < 0 || executions == 0) return;
  line->precise_calls += executions;
  line->precise_spared += executions * precise_functions()[static_cast<size_t>(k)].spared;
  line->precise_kinds |= 1u << k;
}

void add_to_line(const Instruction& instruction, const sass::Word& word, const simt::InstructionCounts& c,
                 LineCounts* line) {
  ++line->instructions;
  line->all.add(c);
  add_access(sass::access_of(instruction, word), word, c, line);
  if (uint64_t* fused = fused_of(instruction.opcode, word, line)) *fused += c.predicated_on_threads;
  if (instruction.pipe == sass::Pipe::kFp64) line->fp64 += c.predicated_on_threads;
  if (instruction.opcode == Opcode::kF2f64) line->conversions64 += c.predicated_on_threads;
  if (instruction.opcode == Opcode::kF2i64 || instruction.opcode == Opcode::kI2f64)
    line->integer_conversions64 += c.predicated_on_threads;
  add_to_pipe(instruction, word, c.executions, line);
  add_precise(instruction, word, c.executions, line);
  if (instruction.opcode == Opcode::kImadHi) line->integer_wide += c.executions;
  if (instruction.opcode == Opcode::kBar) line->barriers += c.executions;
}

/// Is it a product of this precision? ptxas writes products of halves as FMAs with zero, too.
bool is_product(Opcode opcode, const sass::Word& word, Precision precision) {
  switch (precision) {
    case Precision::kSingle: return opcode == Opcode::kFmul;
    case Precision::kDouble: return opcode == Opcode::kDmul;
    default: {
      const bool fused = opcode == Opcode::kHfma2 || opcode == Opcode::kHfma2Mma;
      return opcode == Opcode::kHmul2 || (fused && word.source_high() == kNoRegister);
    }
  }
}

/// Does instruction `k`, a sum, take what a product before it made?
bool takes_product(const simt::sass_machine::Program& program, size_t k) {
  constexpr size_t kBack = 48;
  const sass::Word& sum = program.code[k];
  const uint32_t low = sum.is(sass::Form::kRegisters) ? sum.source_low() : kNoRegister;
  for (const uint32_t source : {sum.source_a(), low, sum.source_high()}) {
    if (source == kNoRegister) continue;
    for (size_t j = k; j-- > 0 && j + kBack >= k;) {
      const sass::Word& word = program.code[j];
      if (word.target() != source || program.at(j).pipe == sass::Pipe::kControl) continue;
      if (is_product(program.at(j).opcode, word, program.at(k).arithmetic.precision)) return true;
      break;
    }
  }
  return false;
}

/// Where a line keeps its separate sums of products; nullptr: `opcode` is no sum.
uint64_t* sum_of_product(Opcode opcode, LineCounts* line) {
  switch (opcode) {
    case Opcode::kFadd: return &line->fp32_sum_of_product;
    case Opcode::kDadd: return &line->fp64_sum_of_product;
    case Opcode::kHadd2: return &line->half_sum_of_product;
    default: return nullptr;
  }
}

void add_overhead(const Instruction& instruction, uint64_t executions, LineCounts* line) {
  line->loop_overhead += executions;
  if (instruction.pipe == sass::Pipe::kAlu) line->loop_alu += executions;
  if (instruction.pipe == sass::Pipe::kImad) line->loop_imad += executions;
}

}  // namespace

void collect_lines(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts,
                   const std::vector<cubin::SourceLine>& source, const std::vector<bool>& gathers,
                   KernelReport* report) {
  std::map<std::pair<std::string, uint32_t>, LineCounts> lines;
  const LoopOverhead loops = loop_overhead(program);
  for (size_t k = 0; k < program.code.size(); ++k) {
    LineCounts& line = lines[{source[k].file, source[k].line}];
    line.file = source[k].file;
    line.line = source[k].line;
    add_to_line(program.at(k), program.code[k], counts.instructions[k], &line);
    if (gathers[k])
      (program.at(k).access == Access::kGlobalStore ? line.scattered : line.gathered).add(counts.instructions[k]);
    if (loops.joined[k]) line.loop_words += counts.instructions[k].executions;
    if (loops.spared[k]) add_overhead(program.at(k), counts.instructions[k].executions, &line);
    uint64_t* sums = sum_of_product(program.at(k).opcode, &line);
    if (sums && takes_product(program, k)) *sums += counts.instructions[k].predicated_on_threads;
  }
  for (auto& [place, line] : lines) {
    if (line.all.executions) report->lines.push_back(std::move(line));
  }
  std::stable_sort(report->lines.begin(), report->lines.end(),
                   [](const LineCounts& a, const LineCounts& b) { return a.all.executions > b.all.executions; });
}

}  // namespace warplens::report
