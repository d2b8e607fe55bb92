// A cubin's tables, read where it is in memory.
#pragma once
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace warplens::cupti {

/// Without sections where the file says nonsense.
class Elf {
 public:
  Elf(const char* bytes, size_t size);

  /// Calls `visit` with each symbol and its name.
  template <typename Visit>
  void each_symbol(Visit visit) const {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections_.size()) continue;
      for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        if (!read(table.sh_offset + at, &symbol)) return;
        visit(symbol, text(sections_[table.sh_link], symbol.st_name));
      }
    }
  }

  /// Calls `visit` with the place and the symbol's name of each relocation of the section.
  template <typename Visit>
  void each_relocation(std::string_view section, Visit visit) const {
    for (size_t k = 0; k < sections_.size(); ++k) {
      const Elf64_Shdr& table = sections_[k];
      const bool with_addend = table.sh_type == SHT_RELA;
      if ((!with_addend && table.sh_type != SHT_REL) || section_name(table.sh_info) != section) continue;
      const size_t bytes = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
      for (size_t at = 0; at + bytes <= table.sh_size; at += bytes) {
        Elf64_Rel relocation;
        if (!read(table.sh_offset + at, &relocation)) return;
        visit(relocation.r_offset, symbol_name(table.sh_link, ELF64_R_SYM(relocation.r_info)));
      }
    }
  }

  std::string_view section_name(size_t index) const;
  /// The bytes of the section; empty if there is none.
  std::string_view section(std::string_view name) const;

 private:
  template <typename Part>
  bool read(uint64_t at, Part* part) const {
    if (at > size_ || size_ - at < sizeof(Part)) return false;
    std::memcpy(part, bytes_ + at, sizeof(Part));
    return true;
  }
  std::string_view text(const Elf64_Shdr& strings, uint64_t at) const;
  std::string_view symbol_name(size_t table, uint64_t number) const;

  const char* bytes_;
  size_t size_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace warplens::cupti
