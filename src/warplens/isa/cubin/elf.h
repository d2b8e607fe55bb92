// 64-bit little-endian ELF, the format of cubins and programs: sections, segments, symbols, relocations. Bounds are
// checked; nothing is copied.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::cubin {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0, link = 0, info = 0;
  uint64_t flags = 0, size = 0;
  std::string_view bytes;  // empty for sections that take no room in the file
};

/// A segment that the loader maps.
struct ElfSegment {
  uint32_t type = 0, flags = 0;  // as <elf.h> numbers them: 1 is PT_LOAD; 1 runs, 2 writes, 4 reads
  uint64_t offset = 0, address = 0, file_bytes = 0, memory_bytes = 0;
  bool is_loaded() const { return type == 1; }
  bool runs() const { return (flags & 1) != 0; }
};

struct ElfSymbol {
  std::string_view name;
  uint8_t info = 0, other = 0;
  uint16_t section = 0;
  uint64_t value = 0, size = 0;
  bool is_function() const { return (info & 15) == 2; }
};

struct ElfRelocation {
  uint64_t offset = 0;
  uint32_t symbol = 0, type = 0;
  int64_t addend = 0;
};

struct Elf {
  uint32_t flags = 0;
  uint8_t abi_version = 0;
  uint16_t machine = 0;
  std::vector<ElfSection> sections;
  std::unordered_map<std::string_view, size_t> by_name;  // the first section of each name
  std::vector<ElfSegment> segments;
  std::vector<ElfSymbol> symbols;

  /// The first section of this type: SHT_SYMTAB is 2, SHT_DYNSYM 11.
  const ElfSection* first_of(uint32_t type) const;
  /// The text of a section's names; empty if there is none.
  std::string_view names_of(const ElfSection& table) const;
  std::vector<ElfSymbol> symbols_of(const ElfSection& table) const;

  const ElfSection* section(std::string_view name) const;
  /// Of .rela.NAME and .rel.NAME.
  std::vector<ElfRelocation> relocations(std::string_view name) const;
};

inline constexpr uint16_t kMachineCuda = 190;

bool is_elf(std::string_view bytes);
/// An ELF file for a GPU, not for the host.
bool is_cubin(std::string_view bytes);

/// The SM that a cubin runs on, 90 for sm_90, as its header says.
int architecture_of(const Elf& elf);
/// The virtual one that it was compiled from, 75 for compute_75: .note.nv.cuinfo says so; without it, the SM's own.
int ptx_architecture_of(const Elf& elf);

inline constexpr uint32_t kSymbolTable = 2, kDynamicSymbolTable = 11;

/// Views into `bytes`, which must outlive the result. Errors name the part that is out of bounds, with its offset.
Result<Elf> read_elf(std::string_view bytes);
/// The same without symbols.
Result<Elf> read_elf_sections(std::string_view bytes);

/// A little-endian number at `offset`; 0 past the end.
template <typename T>
T load(std::string_view bytes, size_t offset) {
  T value{};
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return value;
  __builtin_memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace warplens::cubin
