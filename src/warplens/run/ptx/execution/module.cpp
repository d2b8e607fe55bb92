#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/simt/lane_isa.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Space;

bool has_memory(const ptx::Variable& v) { return v.space == Space::kGlobal || v.space == Space::kConst; }

Result<Address> place(Memory& memory, const ptx::Variable& v) {
  if (v.linkage == ptx::Linkage::kExtern && !v.initialised)
    return not_found(fmt::format("the module uses '{}', which is declared .extern and defined nowhere (line {})",
                                 v.name, v.position.line));
  WL_ASSIGN(const Address at, memory.allocate(v.size_bytes, v.name));
  std::copy_n(v.data.data(), std::min<size_t>(v.data.size(), v.size_bytes), reinterpret_cast<uint8_t*>(at));
  return at;
}

Status relocate(const ptx::Variable& v, Address at, const ModuleSymbols& symbols) {
  for (const ptx::Relocation& r : v.relocations) {
    const Address target = r.kind == ptx::SymbolKind::kFunction ? kFunctionWindow + r.id * 16 : symbols.variables[r.id];
    const Address value = (target + static_cast<Address>(r.addend)) >> r.shift;
    if (r.bytes > 8 || r.offset > v.size_bytes || r.bytes > v.size_bytes - r.offset)
      return invalid_input(fmt::format("an address in the initialiser of '{}' is outside it", v.name));
    std::memcpy(reinterpret_cast<uint8_t*>(at) + r.offset, &value, r.bytes);
  }
  return {};
}

}  // namespace

Module::Module(std::shared_ptr<const ptx::Module> ptx, Memory& memory)
    : ptx_(std::move(ptx)), memory_(memory), symbols_(std::make_unique<ModuleSymbols>()) {}

Module::~Module() {
  for (const Address at : owned_) (void)memory_.free(at);
}

Result<std::unique_ptr<Module>> Module::load(std::shared_ptr<const ptx::Module> ptx, Memory& memory) {
  WL_TRY(check_lane_isa());
  std::unique_ptr<Module> module(new Module(std::move(ptx), memory));
  const ptx::Module& source = *module->ptx_;
  if (source.address_bits != 64)
    return unsupported("PTX with 32-bit addresses cannot be executed: compile with .address_size 64");
  ModuleSymbols& symbols = *module->symbols_;
  for (const auto& v : source.variables) {
    symbols.variables.push_back(0);
    if (!has_memory(v)) continue;
    WL_ASSIGN(symbols.variables.back(), place(memory, v));
    symbols.by_name[v.name] = symbols.variables.size() - 1;
    module->owned_.push_back(symbols.variables.back());
  }
  for (uint32_t f = 0; f < source.functions.size(); ++f) {
    const auto& variables = source.functions[f].variables;
    for (uint32_t i = 0; i < variables.size(); ++i) {
      if (!has_memory(variables[i])) continue;
      WL_ASSIGN(const Address at, place(memory, variables[i]));
      module->owned_.push_back(at);
      symbols.function_variables[{f, i}] = at;
      WL_TRY(relocate(variables[i], at, symbols));
    }
  }
  for (size_t i = 0; i < source.variables.size(); ++i) {
    if (symbols.variables[i]) WL_TRY(relocate(source.variables[i], symbols.variables[i], symbols));
  }
  return module;
}

std::optional<Variable> Module::find_variable(std::string_view name) const {
  const auto found = symbols_->by_name.find(name);
  if (found == symbols_->by_name.end()) return std::nullopt;
  const size_t i = found->second;
  const ptx::Variable& v = ptx_->variables[i];
  const bool names_functions =
      std::ranges::any_of(v.relocations, [](const ptx::Relocation& r) { return r.kind == ptx::SymbolKind::kFunction; });
  return Variable{symbols_->variables[i], v.size_bytes, names_functions, v.space == Space::kConst};
}

Result<Variable> Module::variable(std::string_view name) const {
  if (const auto found = find_variable(name)) return *found;
  std::vector<std::string> names;
  for (const auto& [known, index] : symbols_->by_name) names.emplace_back(known);
  std::ranges::sort(names);
  const std::string near = nearest(name, names);
  return not_found(fmt::format("no variable '{}' in the module{}", name,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const auto& f : ptx_->functions) {
    if (f.is_kernel && !f.is_declaration) names.push_back(f.name);
  }
  return names;
}

Result<const ptx::Function*> Module::kernel(std::string_view name) const {
  for (const auto& f : ptx_->functions) {
    if (f.is_kernel && !f.is_declaration && f.name == name) return &f;
  }
  const std::vector<std::string> names = kernels();
  return not_found(fmt::format("no kernel '{}' in {}; there {}: {}", name, ptx_->source_name,
                               names.size() == 1 ? "is" : "are", names.empty() ? "none" : join(names, ", ")));
}

}  // namespace warplens::simt::ptx_machine
