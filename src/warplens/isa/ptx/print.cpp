#include "warplens/isa/ptx/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/isa/ptx/print_body.h"

namespace warplens::ptx {
namespace {

std::string_view linkage_text(Linkage linkage) {
  switch (linkage) {
    case Linkage::kNone: return "";
    case Linkage::kExtern: return ".extern ";
    case Linkage::kVisible: return ".visible ";
    case Linkage::kWeak: return ".weak ";
    case Linkage::kCommon: return ".common ";
  }
  return "";
}

std::string value_text(const Variable& variable, uint64_t element) {
  const auto size = static_cast<uint64_t>(size_bytes(variable.type));
  uint64_t bits = 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(size, 8); ++i) {
    bits |= uint64_t{variable.data[element * size + i]} << (8 * i);
  }
  if (variable.type == Type::kF32) return fmt::format("0f{:08X}", bits);
  if (variable.type == Type::kF64) return fmt::format("0d{:016X}", bits);
  return fmt::format("{}", bits);
}

std::string relocation_text(const Module& module, const Relocation& relocation) {
  const std::string& name = relocation.kind == SymbolKind::kFunction ? module.functions[relocation.id].name
                                                                     : module.variables[relocation.id].name;
  std::string out = relocation.generic ? fmt::format("generic({})", name) : name;
  if (relocation.addend != 0) out += fmt::format("{:+}", relocation.addend);
  if (!relocation.masked) return out;
  return fmt::format("{:#x}({})", uint64_t{0xff} << relocation.shift, out);
}

std::string initialiser_text(const Module& module, const Variable& variable) {
  const auto size = static_cast<uint64_t>(size_bytes(variable.type));
  std::map<uint64_t, const Relocation*> relocations;
  for (const Relocation& each : variable.relocations) relocations[each.offset / size] = &each;
  uint64_t count = variable.data.size() / size;
  while (count > 1 && !relocations.contains(count - 1) &&
         std::all_of(variable.data.begin() + static_cast<ptrdiff_t>((count - 1) * size),
                     variable.data.begin() + static_cast<ptrdiff_t>(count * size), [](uint8_t b) { return b == 0; })) {
    --count;
  }
  std::string out;
  for (uint64_t i = 0; i < count; ++i) {
    const auto found = relocations.find(i);
    if (i > 0) out += ", ";
    out += found == relocations.end() ? value_text(variable, i) : relocation_text(module, *found->second);
  }
  return variable.dimensions.empty() && variable.vector == 1 ? out : "{" + out + "}";
}

std::string parameters_text(const Module& module, const std::vector<Variable>& parameters) {
  std::string out = "(";
  for (size_t i = 0; i < parameters.size(); ++i) {
    out += i == 0 ? "\n\t" : ",\n\t";
    out += print(module, parameters[i]);
  }
  return out + (parameters.empty() ? ")" : "\n)");
}

std::string header(const Module& module, const Function& function) {
  std::string out(linkage_text(function.linkage));
  out += function.is_kernel ? ".entry " : ".func ";
  if (!function.results.empty()) out += parameters_text(module, function.results) + " ";
  out += function.name + parameters_text(module, function.parameters);
  out += directives_text(function.directives);
  for (const Pragma& pragma : function.pragmas) {
    if (pragma.in_header) out += fmt::format("\n.pragma \"{}\";", pragma.text);
  }
  return out;
}

/// Functions in the order of their text; declarations keep the place of their index.
std::vector<const Function*> in_text_order(const Module& module) {
  std::vector<const Function*> order;
  for (const Function& function : module.functions) order.push_back(&function);
  std::stable_sort(order.begin(), order.end(), [](const Function* a, const Function* b) {
    return std::tie(a->position.line, a->position.column) < std::tie(b->position.line, b->position.column);
  });
  return order;
}

/// True when every function only names functions that stand before it, so that none has to be declared first.
bool in_order(const Module& module, const std::vector<const Function*>& order) {
  for (const Variable& variable : module.variables) {
    for (const Relocation& each : variable.relocations) {
      if (each.kind == SymbolKind::kFunction) return false;
    }
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const auto index = static_cast<size_t>(order[i] - module.functions.data());
    if (index != i) return false;
    for (const Operand& operand : order[i]->operands) {
      if (operand.kind == OperandKind::kSymbol && operand.symbol == SymbolKind::kFunction && operand.id > i)
        return false;
    }
    for (const CallTargets& targets : order[i]->call_targets) {
      for (uint32_t target : targets.functions) {
        if (target > i) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::string directives_text(const std::vector<Directive>& directives) {
  std::string out;
  for (const Directive& directive : directives) {
    out += fmt::format("\n.{}", directive.name);
    if (!directive.values.empty()) out += fmt::format(" {}", fmt::join(directive.values, ", "));
  }
  return out;
}

std::string prototype_text(const Module& module, const Prototype& prototype) {
  std::string out = prototype.name + ": .callprototype ";
  if (!prototype.results.empty()) out += parameters_text(module, prototype.results) + " ";
  return out + "_ " + parameters_text(module, prototype.parameters) + directives_text(prototype.directives) + ";";
}

std::string print(const Module& module, const Variable& variable) {
  std::string out(linkage_text(variable.linkage));
  out += fmt::format(".{} ", text(variable.space));
  if (variable.managed) out += ".attribute(.managed) ";
  const uint32_t natural = static_cast<uint32_t>(size_bytes(variable.type)) * variable.vector;
  if (variable.alignment != natural) out += fmt::format(".align {} ", variable.alignment);
  if (variable.vector > 1) out += fmt::format(".v{} ", variable.vector);
  out += fmt::format(".{} ", text(variable.type));
  if (variable.pointer) {
    out += ".ptr ";
    if (variable.pointee_space != Space::kGeneric) out += fmt::format(".{} ", text(variable.pointee_space));
    if (variable.pointee_alignment != 0) out += fmt::format(".align {} ", variable.pointee_alignment);
  }
  out += variable.name;
  for (uint64_t extent : variable.dimensions) out += extent == 0 ? "[]" : fmt::format("[{}]", extent);
  if (variable.initialised && !variable.data.empty()) out += " = " + initialiser_text(module, variable);
  return out;
}

namespace {

std::string declaration_of(const Module& module, Variable variable) {
  variable.linkage = Linkage::kExtern;
  variable.initialised = false;
  return print(module, variable) + ";\n";
}

/// Variables by their ids, which are their places. Where a value names its own variable or a later one, these are
/// declared first.
std::string variables_text(const Module& module) {
  std::string out;
  size_t declared = 0;
  for (size_t i = 0; i < module.variables.size(); ++i) {
    declared = std::max(declared, i);
    for (const Relocation& each : module.variables[i].relocations) {
      if (each.kind != SymbolKind::kGlobal) continue;
      for (; declared <= each.id; ++declared) out += declaration_of(module, module.variables[declared]);
    }
    out += print(module, module.variables[i]) + ";\n";
  }
  return out;
}

}  // namespace

std::string print(const Module& module) {
  std::string out = fmt::format(".version {}.{}\n.target {}\n.address_size {}\n\n", module.version_major,
                                module.version_minor, join(module.targets, ", "), module.address_bits);
  for (const File& file : module.files) out += fmt::format(".file {} \"{}\"\n", file.number, file.name);
  for (const std::string& pragma : module.pragmas) out += fmt::format(".pragma \"{}\";\n", pragma);
  const auto order = in_text_order(module);
  if (!in_order(module, order)) {
    for (const Function& function : module.functions) out += header(module, function) + ";\n";
  }
  out += variables_text(module);
  for (const Function* function : order) {
    out += header(module, *function);
    out += function->is_declaration ? ";\n" : "\n" + print_body(module, *function);
  }
  for (const Alias& alias : module.aliases) out += fmt::format(".alias {}, {};\n", alias.name, alias.target);
  for (const Section& section : module.sections) {
    out += fmt::format(".section .{} {{\n{}\n}}\n", section.name, section.body);
  }
  return out;
}

}  // namespace warplens::ptx
