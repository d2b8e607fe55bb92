#include "warplens/run/sass/code/linker.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/sass/control/device_runtime.h"
#include "warplens/run/sass/control/system_calls.h"

namespace warplens::simt::sass_machine {
namespace {

using cubin::ElfRelocation, cubin::ElfSection, cubin::ElfSymbol;

/// Relocations that linked code has besides kAddress64: halves of an address, as immediates; those of what a kernel is
/// launched by from another; the target of CALL.ABS.
enum RelocationType : uint32_t {
  kLow32 = 56,
  kHigh32 = 57,
  kHandleLow32 = 62,
  kHandleHigh32 = 63,
  kCallTargetBefore90 = 58,
  kCallTarget = 75
};

bool is_known(uint32_t type) {
  constexpr RelocationType kInCode[] = {kLow32, kHigh32, kHandleLow32, kHandleHigh32, kCallTargetBefore90, kCallTarget};
  return std::ranges::find(kInCode, type) != std::end(kInCode);
}

void set_immediate(Word* word, uint32_t value) {
  word->low = (word->low & 0xffffffff) | static_cast<uint64_t>(value) << 32;
}

/// Writes `address` where branches have their distance: see sass::branch_distance.
void set_target(Word* word, uint64_t address, int architecture) {
  uint64_t words = address / 4;
  if (architecture >= 90) {
    word->low = (word->low & ~(uint64_t{0xff} << 16)) | (words & 0xff) << 16;
    words >>= 8;
  }
  constexpr uint64_t kLower = (uint64_t{1} << 30) - 1, kUpper = (uint64_t{1} << 18) - 1;
  word->low = (word->low & ~(kLower << 34)) | (words & kLower) << 34;
  word->high = (word->high & ~kUpper) | (words >> 30 & kUpper);
}

}  // namespace

std::string key_of(const ElfSymbol& variable) {
  const bool local = variable.info >> 4 == 0;
  return local ? fmt::format("{}@{}:{}", variable.name, variable.section, variable.value) : std::string(variable.name);
}

std::optional<Variable> find_variable(const FindVariable& find, const ElfSymbol& symbol) {
  const std::optional<Variable> found = find(key_of(symbol));
  return found ? found : find(symbol.name);  // who knows names alone has one object
}

uint32_t Linker::append(const ElfSection& section) {
  const auto first = static_cast<uint32_t>(program_->code.size());
  for (size_t at = 0; at + 16 <= section.bytes.size(); at += 16) {
    Word word;
    std::memcpy(&word.low, section.bytes.data() + at, 8);
    std::memcpy(&word.high, section.bytes.data() + at + 8, 8);
    program_->code.push_back(word);
  }
  program_->lines.resize(program_->code.size());
  appended_.push_back({&section, first});
  program_->functions[static_cast<uint32_t>(&section - elf_.sections.data())] = first;
  return first;
}

/// Code addresses count instructions of 16 bytes from the program's first.
uint64_t Linker::code_address(const ElfSymbol& symbol) {
  const ElfSection& section = elf_.sections[symbol.section];
  const auto known = std::ranges::find(appended_, &section, &Appended::section);
  const uint32_t first = known != appended_.end() ? known->first : append(section);
  return uint64_t{first} * 16 + symbol.value;
}

/// Variables of the module that the launch does not know by name (tables of the mathematical library).
Result<uint64_t> Linker::own_variable(const ElfSymbol& symbol) {
  if (symbol.section >= elf_.sections.size()) return not_found(fmt::format("no variable {}", symbol.name));
  const ElfSection& section = elf_.sections[symbol.section];
  constexpr uint64_t kLargest = 1 << 28;  // what a damaged file may say has no limit
  if (section.size > kLargest) return unsupported(fmt::format("section {} has {} bytes", section.name, section.size));
  constexpr uint64_t kAlignment = 256;  // as the driver places sections: sections begin where they do on a GPU
  auto& image = program_->variables[std::string(section.name)];
  const auto first = [&] { return (reinterpret_cast<uint64_t>(image.data()) + kAlignment - 1) & ~(kAlignment - 1); };
  if (image.empty()) {
    image.assign(section.size + 16 + kAlignment, 0);
    std::ranges::copy(section.bytes, reinterpret_cast<uint8_t*>(first()));
    for (const ElfRelocation& r : elf_.relocations(section.name)) {
      if (r.type != kAddress64 || r.symbol >= elf_.symbols.size() || r.offset > section.size ||
          section.size - r.offset < 8)
        continue;
      const uint64_t value = value_of(elf_.symbols[r.symbol], r.addend);
      std::memcpy(reinterpret_cast<uint8_t*>(first()) + r.offset, &value, sizeof value);
    }
  }
  return first() + symbol.value;
}

/// The address of a function that the cubin wants and does not hold.
uint64_t Linker::system_function(std::string_view name) {
  std::vector<std::string>& names = program_->system_calls;
  auto found = std::ranges::find(names, name);
  if (found == names.end()) found = names.insert(found, std::string(name));
  return kSystemCalls + static_cast<uint64_t>(found - names.begin()) * kSystemCallBytes;
}

uint64_t Linker::value_of(const ElfSymbol& symbol, int64_t addend) {
  const bool is_code = symbol.section > 0 && symbol.section < elf_.sections.size() &&
                       elf_.sections[symbol.section].name.starts_with(".text.");
  if (!symbol.is_function() || !is_code || addend != 0 || symbol.name.starts_with(kDeviceRuntime))
    return address_of(symbol) + static_cast<uint64_t>(addend);
  (void)code_address(symbol);
  return function_pointer(symbol.section, symbol.value);
}

uint64_t Linker::address_of(const ElfSymbol& symbol) {
  const std::optional<Variable> found = find_variable(find_, symbol);
  if (found && !found->names_functions) return found->address;
  const bool provided = symbol.section == 0 || symbol.name.starts_with(kDeviceRuntime);
  if (symbol.is_function() && provided) return system_function(symbol.name);
  if (symbol.section < elf_.sections.size() && elf_.sections[symbol.section].name.starts_with(".text."))
    return code_address(symbol);
  const Result<uint64_t> own = own_variable(symbol);
  return own.ok() ? *own : 0;
}

Status Linker::relocate(const Appended& code, const ElfRelocation& r) {
  if (r.offset >= code.section->bytes.size() || r.symbol >= elf_.symbols.size())
    return invalid_input(fmt::format("{} has a relocation outside it", code.section->name));
  const bool handle = r.type == kHandleLow32 || r.type == kHandleHigh32;
  const ElfSymbol& symbol = elf_.symbols[r.symbol];
  const bool is_call = r.type == kCallTarget || r.type == kCallTargetBefore90;
  const uint64_t address = handle    ? system_function(symbol.name) + static_cast<uint64_t>(r.addend)
                           : is_call ? address_of(symbol) + static_cast<uint64_t>(r.addend)
                                     : value_of(symbol, r.addend);
  Word& word = program_->code[code.first + r.offset / 16];
  if (r.type == kLow32 || r.type == kHandleLow32) set_immediate(&word, static_cast<uint32_t>(address));
  else if (r.type == kHigh32 || r.type == kHandleHigh32) set_immediate(&word, static_cast<uint32_t>(address >> 32));
  else if (is_call) set_target(&word, address, program_->architecture);
  else return unsupported(fmt::format("{} has relocations of kind {} in its code", code.section->name, r.type));
  return {};
}

/// A kernel that calls through pointers may be handed any function whose address others have taken.
void Linker::append_functions() {
  const auto by_pointer = [&](const Word& word) {
    const Opcode opcode = instruction_of(word, program_->architecture).opcode;
    return (opcode == Opcode::kCallAbs || opcode == Opcode::kCallRel) && word.is(Form::kRegisters);
  };
  if (std::ranges::none_of(program_->code, by_pointer)) return;
  for (const ElfSymbol& symbol : elf_.symbols) {
    if (!symbol.is_function() || symbol.section == 0 || symbol.section >= elf_.sections.size()) continue;
    const ElfSection& section = elf_.sections[symbol.section];
    const std::string kernel_data = ".nv.constant0" + std::string(section.name.substr(std::strlen(".text")));
    const auto known = [](const ElfRelocation& r) { return is_known(r.type); };
    if (section.name.starts_with(".text.") && elf_.section(kernel_data) == nullptr &&
        std::ranges::all_of(elf_.relocations(section.name), known))
      (void)code_address(symbol);
  }
}

Status Linker::finish() {
  for (size_t i = 0; i < appended_.size(); ++i) {  // it grows meanwhile
    const Appended code = appended_[i];
    for (const ElfRelocation& relocation : elf_.relocations(code.section->name)) WL_TRY(relocate(code, relocation));
    if (i + 1 == appended_.size()) append_functions();
  }
  return {};
}

}  // namespace warplens::simt::sass_machine
