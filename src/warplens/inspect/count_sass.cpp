#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/inspect/count.h"
#include "warplens/isa/sass/instructions.h"

namespace warplens::inspect {
namespace {

using sass::Opcode;

void count(const cubin::Function& function, const cubin::SassInstruction& instruction, Kernel& kernel) {
  ++kernel.instructions.sass;
  ++kernel.classes[std::string(sass::text(instruction.category()))].sass;
  if (!instruction.known()) ++kernel.unknown_sass;
  Line* line = nullptr;
  if (instruction.line != cubin::kNoLine) {
    const cubin::SourceLine& where = function.lines[instruction.line];
    line = &kernel.lines[{where.file, where.line}];
    ++line->instructions.sass;
  }
  using sass::Category;
  const Category c = instruction.category();
  const bool memory =
      c == Category::kLoad || c == Category::kStore || c == Category::kAtomic || c == Category::kAsyncCopy;
  if (memory && instruction.width_bytes > 0) {
    const MemoryKey key{std::string(sass::text(instruction.space())), std::string(memory_kind(c)),
                        instruction.width_bytes};
    ++kernel.memory[key].sass;
    if (line != nullptr) ++line->memory[key].sass;
  }
  if (line == nullptr) return;
  if (instruction.opcode == Opcode::kFfma) ++line->fused.sass;
  if (instruction.opcode == Opcode::kFadd || instruction.opcode == Opcode::kFmul) ++line->unfused.sass;
}

}  // namespace

Kernel& kernel_of(Report& report, const std::string& name) {
  const auto found =
      std::find_if(report.kernels.begin(), report.kernels.end(), [&](const Kernel& each) { return each.name == name; });
  if (found != report.kernels.end()) return *found;
  report.kernels.emplace_back();
  report.kernels.back().name = name;
  return report.kernels.back();
}

void count_sass(const cubin::Cubin& cubin, Report& report) {
  if (report.architecture.empty()) report.architecture = fmt::format("sm_{}", cubin.architecture);
  for (const std::string& note : cubin.notes) report.notes.push_back(note);
  for (const cubin::Function& function : cubin.functions) {
    Kernel& kernel = kernel_of(report, function.name);
    if (!kernel.has_ptx) {
      kernel.is_kernel = function.is_kernel;
      kernel.parameter_bytes = function.parameter_bytes;
      kernel.required_threads = function.required_threads;
      kernel.max_threads = function.max_threads;
    }
    kernel.has_sass = true;
    kernel.registers = function.registers;
    kernel.shared_bytes = function.shared_bytes;
    kernel.frame_bytes = function.frame_bytes;
    kernel.max_stack_bytes = function.max_stack_bytes;
    kernel.barriers = function.barriers;
    for (const cubin::SassInstruction& instruction : function.instructions) count(function, instruction, kernel);
  }
}

}  // namespace warplens::inspect
