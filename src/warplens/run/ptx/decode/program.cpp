// A kernel with all functions that it may call, as one Program.
#include <algorithm>

#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/memory/atomic.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Space;

bool is_own_shared(Space s) { return s == Space::kShared || s == Space::kSharedCta; }

uint64_t aligned(uint64_t offset, const ptx::Variable& v) {
  const uint64_t alignment = std::max<uint64_t>(1, v.alignment);
  return (offset + alignment - 1) / alignment * alignment;
}

/// Functions that a kernel can reach, and the shared variables that these name.
struct Reach {
  std::vector<uint32_t> functions;
  std::set<uint32_t> shared;
};

Reach reach(const ptx::Module& module, uint32_t kernel) {
  Reach result;
  std::set<uint32_t> seen{kernel};
  std::vector<uint32_t> work{kernel};
  const auto add = [&](uint32_t function) {
    if (module.functions[function].is_declaration) {
      if (const ptx::Function* body = module.function(module.functions[function].name))
        function = static_cast<uint32_t>(body - module.functions.data());
    }
    if (seen.insert(function).second) work.push_back(function);
  };
  for (const auto& v : module.variables) {
    for (const auto& r : v.relocations) {
      if (r.kind == ptx::SymbolKind::kFunction) add(r.id);
    }
  }
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    result.functions.push_back(at);
    for (const auto& o : module.functions[at].operands) {
      if (o.kind != ptx::OperandKind::kSymbol) continue;
      if (o.symbol == ptx::SymbolKind::kFunction) add(o.id);
      if (o.symbol == ptx::SymbolKind::kGlobal && is_own_shared(module.variables[o.id].space))
        result.shared.insert(o.id);
    }
    for (const auto& targets : module.functions[at].call_targets) {
      for (const uint32_t f : targets.functions) add(f);
    }
  }
  std::sort(result.functions.begin(), result.functions.end());
  return result;
}

/// Static shared variables one after another, then dynamic ones, all at the end.
bool names_reserved_shared(const ptx::Operand& o) {
  return o.kind == ptx::OperandKind::kSpecial &&
         o.id >= static_cast<uint32_t>(ptx::SpecialRegister::kReservedSmemBegin) &&
         o.id <= static_cast<uint32_t>(ptx::SpecialRegister::kReservedSmem1);
}

void lay_out_shared(DecodeContext& context, const Reach& reached) {
  Program& program = context.program;
  program.reads_reserved_shared = std::ranges::any_of(reached.functions, [&](uint32_t f) {
    return std::ranges::any_of(context.module.functions[f].operands, names_reserved_shared);
  });
  const auto& variables = context.module.variables;
  program.shared_offsets.assign(variables.size(), 0);
  uint64_t top = 0;
  for (const uint32_t id : reached.shared) {
    if (variables[id].size_bytes == 0) continue;
    program.shared_offsets[id] = static_cast<uint32_t>(top = aligned(top, variables[id]));
    top += variables[id].size_bytes;
  }
  for (const uint32_t f : reached.functions) {
    const auto& locals = context.module.functions[f].variables;
    for (uint32_t i = 0; i < locals.size(); ++i) {
      if (!is_own_shared(locals[i].space)) continue;
      context.function_variables[{f, i}] = top = aligned(top, locals[i]);
      top += locals[i].size_bytes;
    }
  }
  uint64_t dynamic = top;
  for (const uint32_t id : reached.shared) {
    if (variables[id].size_bytes == 0) dynamic = std::max(dynamic, aligned(top, variables[id]));
  }
  for (const uint32_t id : reached.shared) {
    if (variables[id].size_bytes != 0) continue;
    program.shared_offsets[id] = static_cast<uint32_t>(dynamic);
    program.open_shared = variables[id].name;
  }
  program.shared_bytes = dynamic;
}

/// Reductions are logged only when blocks may run in any order.
void settle_reductions(Program& program, bool log) {
  program.logs_reductions &= log;
  if (program.logs_reductions) return;
  for (Op& op : program.ops) {
    if (op.run == &run_atomic || op.body == &run_atomic) op.applied_late = 0;
  }
}

}  // namespace

uint32_t Decoding::function_number(uint32_t ptx_function) {
  const auto [found, added] = context_.function_index.try_emplace(ptx_function, 0);
  if (!added) return found->second;
  Program& program = context_.program;
  found->second = static_cast<uint32_t>(program.functions.size());
  program.functions.push_back({ptx_function});
  return found->second;
}

Result<std::unique_ptr<Program>> decode_program(const ptx::Module& module, uint32_t kernel,
                                                const ModuleSymbols& symbols, int architecture, bool deterministic,
                                                uint8_t checks, bool observed) {
  auto program = std::make_unique<Program>();
  program->name = module.functions[kernel].name;
  program->module = &module;
  DecodeContext context{module, symbols.variables, *program, {},      symbols.function_variables,
                        {},     architecture,      checks,   observed};
  const Reach reached = reach(module, kernel);
  lay_out_shared(context, reached);
  program->functions.push_back({kernel});
  context.function_index[kernel] = 0;
  // Decoding a function may find others; functions whose address is taken are all decoded.
  for (const uint32_t f : reached.functions) {
    if (f == kernel || module.functions[f].is_declaration || module.functions[f].is_kernel) continue;
    context.function_index[f] = static_cast<uint32_t>(program->functions.size());
    program->functions.push_back({f});
  }
  for (uint32_t i = 0; i < program->functions.size(); ++i) {
    FunctionCode& code = program->functions[i];
    code.first_row = static_cast<uint32_t>(program->places.size());
    const auto count = static_cast<uint32_t>(module.functions[code.ptx].instructions.size());
    for (uint32_t k = 0; k < count; ++k) program->places.push_back({code.ptx, k});
    program->guarded_rows.resize(program->places.size());
    program->row_block.resize(program->places.size(), kNoBlock);
  }
  for (uint32_t i = 0; i < program->functions.size(); ++i) WL_TRY(Decoding(context, i).run());
  program->order_dependent &= deterministic;
  settle_reductions(*program, deterministic && !program->order_dependent);
  program->accesses.resize(program->range_slots);
  return program;
}

}  // namespace warplens::simt::ptx_machine
