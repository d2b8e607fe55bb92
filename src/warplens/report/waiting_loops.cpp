#include "warplens/report/waiting_loops.h"

#include "warplens/base/text.h"
#include "warplens/isa/sass/disassemble.h"
#include "warplens/report/loops.h"

namespace warplens::report {

namespace {

using simt::sass_machine::Program;

constexpr uint32_t kInstructionBytes = 16;

sass::Disassembled text_of(const Program& program, size_t at) {
  return sass::disassemble(program.code[at], static_cast<uint32_t>(at) * kInstructionBytes, program.architecture);
}

/// Does it do more than read, compare and branch? Uniform registers may hold a part of the address.
bool does_work(const sass::Instruction& instruction) {
  using sass::Category;
  switch (instruction.category) {
    case Category::kStore:
    case Category::kAtomic:
    case Category::kAsyncCopy:
    case Category::kMatrix:
    case Category::kBarrier:
    case Category::kUniform: return true;
    default: return false;
  }
}

bool writes_registers(const sass::Instruction& instruction) {
  return instruction.category != sass::Category::kControl && !instruction.name.ends_with("SETP");
}

/// Is the load's address, a pair of registers, the same in each turn?
bool keeps_address(const Program& program, size_t begin, size_t end, size_t load) {
  const uint32_t address = program.code[load].source_a();
  for (size_t k = begin; k < end; ++k) {
    const uint32_t target = program.code[k].target();
    if (writes_registers(program.at(k)) && (target == address || target == address + 1)) return false;
  }
  return true;
}

bool waits(const Program& program, size_t begin, size_t end, const simt::sass_machine::MachineCounts& counts) {
  bool found = false;
  for (size_t k = begin; k < end; ++k) {
    const sass::Instruction& instruction = program.at(k);
    if (does_work(instruction)) return false;
    const bool loads =
        instruction.access == sass::Access::kGlobalLoad || instruction.access == sass::Access::kGenericLoad;
    found |= loads && counts.instructions[k].executions > 0 && contains(text_of(program, k).modifiers, ".STRONG") &&
             keeps_address(program, begin, end, k);
  }
  return found;
}

}  // namespace

bool ran_waiting_loop(const Program& program, const simt::sass_machine::MachineCounts& counts) {
  for (size_t k = 0; k < program.code.size(); ++k) {
    if (const size_t begin = begin_of_loop(program, k); begin < k && waits(program, begin, k, counts)) return true;
  }
  return false;
}

}  // namespace warplens::report
