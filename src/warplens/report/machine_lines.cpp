#include "warplens/report/machine_lines.h"

#include <algorithm>
#include <map>

#include "warplens/report/instruction_class.h"
#include "warplens/run/sass/pipe.h"

namespace warplens::report {
namespace {

constexpr uint32_t kStackPointer = 1;  // R1

void add_to_line(const simt::sass_machine::Word& word, const simt::InstructionCounts& c, LineCounts* line) {
  const uint32_t opcode = word.opcode();
  ++line->instructions;
  line->all.add(c);
  switch (class_of(word)) {
    case Class::kGlobalLoad: {
      line->global_load.add(c);
      if (is_broadcast(c)) line->broadcast.add(c);
      constexpr uint32_t kBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
      line->load_bytes = std::max(line->load_bytes, kBytes[word.bits(73, 3)]);
      break;
    }
    case Class::kGlobalStore: line->global_store.add(c); break;
    case Class::kLocalLoad: case Class::kLocalStore:
      line->local.add(c);
      if (word.bits(24, 8) == kStackPointer) line->spill.add(c);
      break;
    case Class::kSharedLoad: line->shared_load.add(c); break;
    case Class::kSharedStore: line->shared_store.add(c); break;
    case Class::kSharedAtomic: line->shared_atomics.add(c); break;
    case Class::kGenericLoad: case Class::kGenericStore: {
      const GenericCounts parts = split_generic(c);
      const bool load = class_of(word) == Class::kGenericLoad;
      (load ? line->global_load : line->global_store).add(parts.global);
      (load ? line->shared_load : line->shared_store).add(parts.shared);
      break;
    }
    case Class::kAtomic: case Class::kReduction: line->atomics.add(c); break;
    default: break;
  }
  if (opcode == 0x023) line->fp32_fma += c.predicated_on_threads;
  if (opcode == 0x02b) line->fp64_fma += c.predicated_on_threads;
  if (opcode == 0x031) line->half_fma += c.predicated_on_threads;
  if (simt::sass_machine::pipe_of(opcode) == simt::sass_machine::Pipe::kFp64) line->fp64 += c.predicated_on_threads;
  if (opcode == 0x110) line->conversions64 += c.predicated_on_threads;
  if (opcode == 0x027) line->integer_wide += c.executions;
  if (opcode == 0x11d) line->barriers += c.executions;
}

/// Is it a product of the precision of `sum`? ptxas writes products of halves as FMAs with zero, too.
bool is_product(const simt::sass_machine::Word& word, const simt::sass_machine::Word& sum) {
  const uint32_t opcode = word.opcode();
  switch (sum.opcode()) {
    case 0x021: return opcode == 0x020;
    case 0x029: return opcode == 0x028;
    default: return opcode == 0x032 || ((opcode == 0x031 || opcode == 0x035) && word.bits(64, 8) == 255);
  }
}

/// Does instruction `k`, a sum, take what a product before it made?
bool takes_product(const std::vector<simt::sass_machine::Word>& code, size_t k) {
  constexpr size_t kBack = 48;
  constexpr uint32_t kNone = 255;
  const simt::sass_machine::Word& sum = code[k];
  for (const uint32_t source : {sum.bits(24, 8), sum.form() == 1 ? sum.bits(32, 8) : kNone, sum.bits(64, 8)}) {
    if (source == kNone) continue;
    for (size_t j = k; j-- > 0 && j + kBack >= k;) {
      if (code[j].bits(16, 8) != source || simt::sass_machine::pipe_of(code[j].opcode()) == simt::sass_machine::Pipe::kControl) continue;
      if (is_product(code[j], sum)) return true;
      break;
    }
  }
  return false;
}

void add_sum_of_product(const std::vector<simt::sass_machine::Word>& code, size_t k, uint64_t threads, LineCounts* line) {
  const uint32_t opcode = code[k].opcode();
  if ((opcode != 0x021 && opcode != 0x029 && opcode != 0x030) || !takes_product(code, k)) return;
  (opcode == 0x021   ? line->fp32_sum_of_product
   : opcode == 0x029 ? line->fp64_sum_of_product
                     : line->half_sum_of_product) += threads;
}

}  // namespace

void collect_lines(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts,
                   const std::vector<cubin::SourceLine>& source, KernelReport* report) {
  std::map<std::pair<std::string, uint32_t>, LineCounts> lines;
  for (size_t k = 0; k < program.code.size(); ++k) {
    LineCounts& line = lines[{source[k].file, source[k].line}];
    line.file = source[k].file;
    line.line = source[k].line;
    add_to_line(program.code[k], counts.instructions[k], &line);
    add_sum_of_product(program.code, k, counts.instructions[k].predicated_on_threads, &line);
  }
  for (auto& [place, line] : lines) {
    if (line.all.executions) report->lines.push_back(std::move(line));
  }
  std::stable_sort(report->lines.begin(), report->lines.end(),
                   [](const LineCounts& a, const LineCounts& b) { return a.all.executions > b.all.executions; });
}

}  // namespace warplens::report
