#include "warplens/run/sass/program.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/cubin/nv_info.h"
#include "warplens/run/sass/code/linker.h"
#include "warplens/simt/memory/fits.h"

namespace warplens::simt::sass_machine {
namespace {

using cubin::Attribute, cubin::Elf, cubin::ElfSection, cubin::ElfSymbol, cubin::ElfRelocation;

constexpr uint64_t kMostParameterBytes = 32764;

/// What the kernel asks of its launches.
void read_demands(std::string_view info, Program* out) {
  for (const cubin::InfoEntry& entry : cubin::read_info(info)) {
    const auto number = [&](size_t i) { return cubin::load<uint32_t>(entry.payload, 4 * i); };
    if (entry.attribute == Attribute::kCluster) out->cluster = {number(0), number(1), number(2)};
    if (entry.attribute == Attribute::kUsesReservedShared) out->uses_reserved_shared = true;
    if (entry.attribute == Attribute::kMaxThreads) out->max_threads = number(0) * number(1) * number(2);
  }
}

/// Where the parameters lie in bank 0, and how far the known descriptions of them reach. Errors: some are described in
/// no known way; to run then would leave what they hold out, silently.
Status read_parameters(std::string_view info, const std::string& kernel, Program* out) {
  for (const cubin::InfoEntry& entry : cubin::read_info(info)) {
    if (const auto parameter = cubin::parameter_of(entry)) out->parameters.push_back(*parameter);
    if (entry.attribute != Attribute::kParameterBank) continue;
    out->parameter_offset = cubin::load<uint16_t>(entry.payload, 4);
    out->parameter_bytes = cubin::load<uint16_t>(entry.payload, 6);
  }
  std::ranges::sort(out->parameters, {}, &cubin::Parameter::ordinal);
  uint64_t described = 0;
  for (const cubin::Parameter& p : out->parameters) described = std::max(described, uint64_t{p.offset} + p.size_bytes);
  if (described > kMostParameterBytes)
    return invalid_input(fmt::format("{} claims parameters of {} bytes", kernel, described));
  if (described >= out->parameter_bytes) return {};
  return unsupported(
      fmt::format("warplens understands the cubin's description of only {} of the {} parameter bytes of {}", described,
                  out->parameter_bytes, kernel));
}

void read_resources(const Elf& elf, std::string_view info, const std::string& kernel, Program* out) {
  for (const cubin::InfoEntry& entry : cubin::read_info(info)) {
    const auto index = cubin::load<uint32_t>(entry.payload, 0), value = cubin::load<uint32_t>(entry.payload, 4);
    if (entry.payload.empty() || index >= elf.symbols.size() || elf.symbols[index].name != kernel) continue;
    if (entry.attribute == Attribute::kRegisters) out->registers = value;
    if (entry.attribute == Attribute::kFrameSize || entry.attribute == Attribute::kMinStackSize)
      out->frame_bytes = std::max(out->frame_bytes, value);
  }
}

/// More than any GPU has, as a damaged file may say, would only cost memory.
Status check_resources(const Program& program, const std::string& kernel) {
  struct Limit {
    const char* what;
    uint32_t value, most;
  };
  for (const Limit& limit : {Limit{"registers", program.registers, 256},
                             Limit{"bytes of shared memory", program.static_shared_bytes, 256 << 10},
                             Limit{"bytes of stack", program.frame_bytes, 512 << 10},
                             Limit{"bytes of parameters", program.parameter_bytes, 64 << 10}}) {
    if (limit.value > limit.most)
      return invalid_input(fmt::format("the cubin says that {} takes {} {}, and no GPU has more than {}: it is damaged",
                                       kernel, limit.value, limit.what, limit.most));
  }
  return {};
}

/// What the host or a launch's description put into __constant__ variables stands in the launch's own memory.
/// Returns where all of them lie as they do in the bank; 0 where they lie apart.
uint64_t read_variables(const Elf& elf, const ElfSection& section, const FindVariable& find,
                        std::vector<uint8_t>& bank) {
  constexpr uint8_t kObject = 1;  // STT_OBJECT
  std::optional<uint64_t> begin;
  for (const ElfSymbol& variable : elf.symbols) {
    if (variable.section >= elf.sections.size() || &elf.sections[variable.section] != &section) continue;
    if ((variable.info & 15) != kObject || variable.size == 0 || variable.value > bank.size() ||
        variable.size > bank.size() - variable.value)
      continue;
    const std::optional<Variable> found = find_variable(find, variable);
    if (found && !found->names_functions)
      std::memcpy(bank.data() + variable.value, reinterpret_cast<const void*>(found->address),
                  std::min(variable.size, found->size_bytes));
    const uint64_t base = found ? found->address - variable.value : 0;
    begin = begin.value_or(base) == base ? base : 0;
  }
  return begin.value_or(0);
}

}  // namespace

uint32_t ConstantBanks::word(uint32_t bank, uint64_t offset) const {
  const auto found = banks.find(bank);
  uint32_t out = 0;
  if (found != banks.end() && simt::fits(offset, 4, found->second.size()))
    std::memcpy(&out, found->second.data() + offset, 4);
  return out;
}

uint32_t Program::own_shared_bytes() const {
  const uint32_t reserved = reserved_shared_bytes();
  return static_shared_bytes >= reserved ? static_shared_bytes - reserved : static_shared_bytes;
}

Result<Program> load_program(std::string_view image, const std::string& kernel, const FindVariable& find) {
  WL_ASSIGN(const Elf elf, cubin::read_elf(image));
  const ElfSection* text = elf.section(".text." + kernel);
  if (!text) return not_found(fmt::format("the cubin has no kernel {}", kernel));
  Program out;
  out.architecture = cubin::architecture_of(elf);
  out.ptx_architecture = cubin::ptx_architecture_of(elf);
  Linker linker(elf, find, &out);
  out.entry = linker.append(*text);
  out.kernel_instructions = static_cast<uint32_t>(out.code.size());
  out.registers = text->info >> 24;
  out.barriers = static_cast<uint32_t>(text->flags >> 20 & 0x7f);
  if (const ElfSection* shared = elf.section(".nv.shared." + kernel))
    out.static_shared_bytes = static_cast<uint32_t>(shared->size);
  for (uint32_t bank = 2; bank < 18; ++bank) {
    for (const std::string& name :
         {fmt::format(".nv.constant{}.{}", bank, kernel), fmt::format(".nv.constant{}", bank)}) {
      const ElfSection* section = elf.section(name);
      if (!section) continue;
      auto& bytes = out.constants.banks[bank];
      bytes.assign(section->bytes.begin(), section->bytes.end());
      for (const ElfRelocation& r : elf.relocations(section->name)) {
        if (r.type != kAddress64 || r.symbol >= elf.symbols.size()) continue;
        if (r.offset > bytes.size() || bytes.size() - r.offset < 8) continue;
        const uint64_t value = linker.value_of(elf.symbols[r.symbol], r.addend);
        std::memcpy(bytes.data() + r.offset, &value, 8);
      }
      const uint64_t at = read_variables(elf, *section, find, bytes);
      if (bank == kUserConstants) out.constants_at = at;
      break;
    }
  }
  WL_TRY(linker.finish());
  if (const ElfSection* info = elf.section(".nv.info." + kernel)) {
    WL_TRY(read_parameters(info->bytes, kernel, &out));
    read_demands(info->bytes, &out);
  }
  if (const ElfSection* info = elf.section(".nv.info")) read_resources(elf, info->bytes, kernel, &out);
  WL_TRY(check_resources(out, kernel));
  return out;
}

}  // namespace warplens::simt::sass_machine
