#include "warplens/run/sass/code/loaded_code.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/cubin/nv_info.h"
#include "warplens/run/sass/code/linker.h"

namespace warplens::simt::sass_machine {
namespace {

using cubin::Attribute, cubin::Elf, cubin::ElfRelocation, cubin::ElfSection, cubin::ElfSymbol;

constexpr uint8_t kObject = 1;                              // STT_OBJECT
constexpr uint32_t kPlainAddress = 2, kGenericAddress = 4;  // relocations of 64 bits; the same here

bool is_variable_section(std::string_view name) {
  return name == ".nv.global" || name == ".nv.global.init" || name == ".nv.constant3";
}

/// Whether a variable's bytes are filled in with the address of a function, of the cubin or of the CUDA system.
enum class Names : uint8_t { kNothing, kOwnFunctions, kSystemFunctions };
Names functions_named(const Elf& elf, const ElfSymbol& variable, const std::vector<ElfRelocation>& relocations) {
  Names out = Names::kNothing;
  for (const ElfRelocation& r : relocations) {
    if (r.symbol >= elf.symbols.size() || !elf.symbols[r.symbol].is_function() || r.offset < variable.value ||
        r.offset - variable.value >= variable.size)
      continue;
    if (elf.symbols[r.symbol].section == 0) return Names::kSystemFunctions;
    out = Names::kOwnFunctions;
  }
  return out;
}

/// Pointers to other variables that a section is initialised with.
template <typename Variables>
void fill_addresses(const Elf& elf, const Variables& variables, const std::vector<ElfRelocation>& relocations,
                    uint8_t* bytes, uint64_t size_bytes) {
  for (const ElfRelocation& r : relocations) {
    if (r.type != kPlainAddress && r.type != kGenericAddress) continue;
    if (r.symbol >= elf.symbols.size() || r.offset > size_bytes || size_bytes - r.offset < 8) continue;
    const ElfSymbol& symbol = elf.symbols[r.symbol];
    const auto target = variables.find(key_of(symbol));
    const bool is_function = symbol.is_function() && symbol.section != 0;
    if (target == variables.end() && !is_function) continue;
    const uint64_t begin = is_function ? function_pointer(symbol.section, symbol.value) : target->second.address;
    const uint64_t address = begin + static_cast<uint64_t>(r.addend);
    std::memcpy(bytes + r.offset, &address, sizeof address);
  }
}

}  // namespace

Status LoadedCode::load(std::string cubin, Memory& memory, const FindVariable& elsewhere) {
  cubin_ = std::move(cubin);
  WL_ASSIGN(const Elf elf, cubin::read_elf(cubin_));
  std::vector<std::pair<const ElfSection*, Address>> places;
  for (size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    if (!is_variable_section(section.name) || section.size == 0) continue;
    WL_ASSIGN(const Address base, memory.allocate(section.size, std::string(section.name)));
    std::ranges::copy(section.bytes, reinterpret_cast<char*>(base));
    places.push_back({&section, base});
    const std::vector<ElfRelocation> relocations = elf.relocations(section.name);
    for (const ElfSymbol& symbol : elf.symbols) {
      if (symbol.section != i || (symbol.info & 15) != kObject) continue;
      Variable& placed = variables_[key_of(symbol)];
      placed.address = base + symbol.value;
      placed.size_bytes = symbol.size;
      placed.constant = section.name == ".nv.constant3";
      const Names named = functions_named(elf, symbol, relocations);
      placed.names_functions = named == Names::kSystemFunctions;
      const std::optional<Variable> other = elsewhere ? elsewhere(symbol.name) : std::nullopt;
      if (other && named == Names::kNothing) placed.address = other->address;
      variables_.try_emplace(std::string(symbol.name), placed);  // which the host asks for
    }
  }
  for (const auto& [section, base] : places) {
    fill_addresses(elf, variables_, elf.relocations(section->name), reinterpret_cast<uint8_t*>(base), section->size);
  }
  return {};
}

const Variable* LoadedCode::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

Result<Program> LoadedCode::program(const std::string& kernel) const {
  return load_program(cubin_, kernel, [&](std::string_view name) -> std::optional<Variable> {
    const Variable* found = variable(name);
    return found != nullptr ? std::optional<Variable>(*found) : std::nullopt;
  });
}

}  // namespace warplens::simt::sass_machine
