#include "warplens/collect/process/elf.h"

namespace warplens::cupti {

Elf::Elf(const char* bytes, size_t size) : bytes_(bytes), size_(size) {
  if (!read(0, &header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
      header_.e_ident[EI_CLASS] != ELFCLASS64)
    return;
  std::vector<Elf64_Shdr> sections(header_.e_shnum);
  for (size_t k = 0; k < sections.size(); ++k) {
    if (!read(header_.e_shoff + k * header_.e_shentsize, &sections[k])) return;
  }
  sections_ = std::move(sections);
}

std::string_view Elf::text(const Elf64_Shdr& strings, uint64_t at) const {
  const uint64_t begin = strings.sh_offset + at;
  if (at >= strings.sh_size || begin >= size_) return {};
  const uint64_t room = std::min<uint64_t>(strings.sh_size - at, size_ - begin);
  return {bytes_ + begin, ::strnlen(bytes_ + begin, room)};
}

std::string_view Elf::section_name(size_t index) const {
  if (index >= sections_.size() || header_.e_shstrndx >= sections_.size()) return {};
  return text(sections_[header_.e_shstrndx], sections_[index].sh_name);
}

std::string_view Elf::symbol_name(size_t table, uint64_t number) const {
  if (table >= sections_.size() || sections_[table].sh_link >= sections_.size()) return {};
  Elf64_Sym symbol;
  if (number >= sections_[table].sh_size / sizeof symbol) return {};
  if (!read(sections_[table].sh_offset + number * sizeof symbol, &symbol)) return {};
  return text(sections_[sections_[table].sh_link], symbol.st_name);
}

std::string_view Elf::section(std::string_view name) const {
  for (size_t k = 0; k < sections_.size(); ++k) {
    const Elf64_Shdr& section = sections_[k];
    if (section_name(k) != name || section.sh_type == SHT_NOBITS || section.sh_offset > size_) continue;
    return {bytes_ + section.sh_offset, std::min<uint64_t>(section.sh_size, size_ - section.sh_offset)};
  }
  return {};
}

}  // namespace warplens::cupti
