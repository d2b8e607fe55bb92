#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/inspect/count.h"

namespace warplens::inspect {
namespace {

std::string_view space_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::kGeneric: return "generic";
    case ptx::Space::kSharedCta:
    case ptx::Space::kSharedCluster: return "shared";
    case ptx::Space::kParam:
    case ptx::Space::kParamEntry:
    case ptx::Space::kParamFunction:
    case ptx::Space::kConst: return "constant";
    default: return ptx::text(space);
  }
}

/// Bytes a lane moves; 0 when the instruction does not say (bulk copies).
uint32_t width_of(const ptx::Mnemonic& mnemonic, const ptx::Function& function, const ptx::Instruction& instruction) {
  if (mnemonic.opcode == ptx::Opcode::kCpAsync && instruction.operand_count > 2) {
    return static_cast<uint32_t>(function.operands_of(instruction)[2].value);
  }
  if (mnemonic.type_count == 0) return 0;
  return static_cast<uint32_t>(ptx::size_bytes(mnemonic.types[mnemonic.type_count - 1])) * mnemonic.vector;
}

/// For each instruction whether it lies between a label and a later branch to it.
std::vector<bool> in_loop(const ptx::Module& module, const ptx::Function& function) {
  std::vector<bool> out(function.instructions.size());
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (module.mnemonic(instruction).opcode != ptx::Opcode::kBra || instruction.operand_count == 0) continue;
    const ptx::Operand& target = function.operands_of(instruction)[0];
    if (target.kind != ptx::OperandKind::kLabel) continue;
    for (uint32_t j = function.labels[target.id].instruction; j <= i; ++j) out[j] = true;
  }
  return out;
}

/// The line that a person wrote: the innermost one, as the compiler's line tables give it too.
LineKey line_of(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& instruction) {
  if (instruction.debug == ptx::kNone) return {};
  const ptx::DebugLocation& where = function.debug_locations[instruction.debug];
  return {std::string(module.file_name(where.file)), where.line};
}

bool repeats_tell(const ptx::Mnemonic& mnemonic) {
  using ptx::Category;
  const Category c = mnemonic.category;
  const bool memory = c == Category::kLoad || c == Category::kStore || c == Category::kAtomic;
  return (memory && space_of(mnemonic.space()) != "constant") || c == Category::kMatrix || c == Category::kAsyncCopy ||
         mnemonic.opcode == ptx::Opcode::kFma;
}

void count(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& instruction, bool loop,
           Kernel& kernel) {
  const ptx::Mnemonic& mnemonic = module.mnemonic(instruction);
  const LineKey key = line_of(module, function, instruction);
  Line* line = key.line == 0 ? nullptr : &kernel.lines[key];
  ++kernel.instructions.ptx;
  ++kernel.classes[std::string(ptx::text(mnemonic.category))].ptx;
  if (mnemonic.form < 0) ++kernel.unknown_ptx;
  using ptx::Category;
  const Category c = mnemonic.category;
  if (c == Category::kLoad || c == Category::kStore || c == Category::kAtomic || c == Category::kAsyncCopy) {
    const uint32_t width = width_of(mnemonic, function, instruction);
    const auto space = c == Category::kAsyncCopy ? std::string_view("global") : space_of(mnemonic.space());
    const MemoryKey memory{std::string(space), std::string(memory_kind(c)), width};
    if (width > 0) ++kernel.memory[memory].ptx;
    if (width > 0 && line != nullptr) ++line->memory[memory].ptx;
  }
  if (line == nullptr) return;
  ++line->instructions.ptx;
  if (c == Category::kFp32) {
    const bool fused = mnemonic.opcode == ptx::Opcode::kFma || mnemonic.opcode == ptx::Opcode::kMad;
    if (fused) ++line->fused.ptx;
    if (mnemonic.opcode == ptx::Opcode::kMul || mnemonic.opcode == ptx::Opcode::kAdd) ++line->unfused.ptx;
  }
  if (loop && repeats_tell(mnemonic)) ++line->ptx_in_loop[mnemonic.text];
}

std::array<uint32_t, 3> dimensions(const ptx::Function& function, std::string_view name) {
  std::array<uint32_t, 3> out{};
  const ptx::Directive* directive = function.directive(name);
  if (directive == nullptr) return out;
  out = {1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(3, directive->values.size()); ++i) {
    out[i] = static_cast<uint32_t>(directive->values[i]);
  }
  return out;
}

}  // namespace

void count_ptx(const ptx::Module& module, const std::string& text, Report& report) {
  report.ptx_version = fmt::format("{}.{}", module.version_major, module.version_minor);
  if (!module.targets.empty()) report.architecture = module.targets[0];
  PtxText ptx{text, {}};
  for (const ptx::Function& function : module.functions) {
    if (function.is_declaration) continue;
    ptx.names.push_back(function.name);
    Kernel& kernel = kernel_of(report, function.name);
    kernel.is_kernel = function.is_kernel;
    kernel.has_ptx = true;
    kernel.parameter_bytes = function.is_kernel ? function.parameter_bytes() : 0;
    kernel.required_threads = dimensions(function, "reqntid");
    kernel.max_threads = dimensions(function, "maxntid");
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::kLocal) kernel.ptx_local_bytes += variable.size_bytes;
      if (variable.space == ptx::Space::kShared) kernel.ptx_shared_bytes += variable.size_bytes;
    }
    const auto loops = in_loop(module, function);
    for (size_t i = 0; i < function.instructions.size(); ++i) {
      count(module, function, function.instructions[i], loops[i], kernel);
    }
  }
  if (!ptx.names.empty()) report.ptx.push_back(std::move(ptx));
}

}  // namespace warplens::inspect
