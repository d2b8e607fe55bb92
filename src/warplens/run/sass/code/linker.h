// The last step of linking a kernel: the addresses that its code and its constants hold are filled in.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/isa/cubin/elf.h"
#include "warplens/run/sass/program.h"

namespace warplens::simt::sass_machine {

/// A relocation of all of an address in data: R_CUDA_64.
inline constexpr uint32_t kAddress64 = 2;

/// The identity of a variable: its name. For a local one (texts, "$str"), also its position, because linked objects
/// share such names.
std::string key_of(const cubin::ElfSymbol& variable);
std::optional<Variable> find_variable(const FindVariable& find, const cubin::ElfSymbol& symbol);

class Linker {
 public:
  /// All of these outlive it.
  Linker(const cubin::Elf& elf, const FindVariable& find, Program* program)
      : elf_(elf), find_(find), program_(program) {}

  /// Appends a section of code; returns the place of its first instruction.
  uint32_t append(const cubin::ElfSection& section);
  /// The address of a symbol in running machine code; appends functions that are not there yet. 0 if it has
  /// none.
  uint64_t address_of(const cubin::ElfSymbol& symbol);
  /// The value of a symbol in data and immediates: a pointer for a function, else its address and the addend.
  uint64_t value_of(const cubin::ElfSymbol& symbol, int64_t addend);
  /// Fills in the addresses in all code, with that of functions that it calls. Error: a relocation that is not known.
  Status finish();

 private:
  struct Appended {
    const cubin::ElfSection* section;
    uint32_t first;
  };
  uint64_t code_address(const cubin::ElfSymbol& symbol);
  Result<uint64_t> own_variable(const cubin::ElfSymbol& symbol);
  uint64_t system_function(std::string_view name);
  void append_functions();
  Status relocate(const Appended& code, const cubin::ElfRelocation& relocation);

  const cubin::Elf& elf_;
  const FindVariable& find_;
  Program* program_;
  std::vector<Appended> appended_;
};

}  // namespace warplens::simt::sass_machine
