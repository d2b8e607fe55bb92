// The sections, symbols and relocations of a 64-bit little-endian ELF file, as cubins are.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::sass {

struct ElfSection {
  std::string_view name, bytes;  // no bytes where the file has none (NOBITS)
  uint32_t type = 0, info = 0;
  uint64_t flags = 0, size = 0;
};
struct ElfSymbol {
  std::string_view name;
  uint32_t section = 0, type = 0;
  uint64_t value = 0, size = 0;
};
struct ElfRelocation {
  uint64_t offset = 0;
  uint32_t type = 0, symbol = 0;
  int64_t addend = 0;
};

struct Elf {
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  uint32_t flags = 0;

  /// nullptr when there is none.
  const ElfSection* find(std::string_view name) const;
  std::vector<ElfRelocation> relocations(const ElfSection& section) const;
};

/// `bytes` must outlive the result. Errors name the offset at which the file breaks.
Result<Elf> read_elf(std::string_view bytes);

}  // namespace warplens::sass
