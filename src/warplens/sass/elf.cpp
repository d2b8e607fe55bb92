#include "warplens/sass/elf.h"

#include <cstring>

#include "warplens/base/text.h"

namespace warplens::sass {
namespace {

constexpr uint32_t kSymbols = 2, kNoBits = 8;
constexpr size_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;

template <typename T>
T read(std::string_view bytes, size_t at) {
  T out{};
  if (at + sizeof out <= bytes.size()) std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

std::string_view text_at(std::string_view table, size_t at) {
  if (at >= table.size()) return {};
  const std::string_view rest = table.substr(at);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

const ElfSection* Elf::find(std::string_view name) const {
  for (const ElfSection& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

std::vector<ElfRelocation> Elf::relocations(const ElfSection& section) const {
  std::vector<ElfRelocation> out;
  for (const auto& [prefix, bytes] : {std::pair<std::string, size_t>{".rela", 24}, {".rel", 16}}) {
    const ElfSection* table = find(prefix + std::string(section.name));
    if (!table) continue;
    for (size_t at = 0; at + bytes <= table->bytes.size(); at += bytes) {
      const auto info = read<uint64_t>(table->bytes, at + 8);
      out.push_back({read<uint64_t>(table->bytes, at), static_cast<uint32_t>(info), static_cast<uint32_t>(info >> 32),
                     bytes == 24 ? read<int64_t>(table->bytes, at + 16) : 0});
    }
  }
  return out;
}

Result<Elf> read_elf(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || bytes.substr(0, 5) != std::string_view("\x7f" "ELF\x02", 5)) {
    return invalid_input("not a cubin: it does not begin as a 64-bit ELF file");
  }
  const auto table = read<uint64_t>(bytes, 40);
  const auto count = read<uint16_t>(bytes, 60), names = read<uint16_t>(bytes, 62);
  if (table > bytes.size() || count * kSectionBytes > bytes.size() - table) {
    return invalid_input(fmt::format("the section table at byte {} does not fit the file of {} bytes", table, bytes.size()));
  }
  Elf out;
  out.flags = read<uint32_t>(bytes, 48);
  std::vector<uint32_t> name_offsets;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = table + i * kSectionBytes;
    ElfSection section;
    name_offsets.push_back(read<uint32_t>(bytes, at));
    section.type = read<uint32_t>(bytes, at + 4);
    section.flags = read<uint64_t>(bytes, at + 8);
    const auto offset = read<uint64_t>(bytes, at + 24);
    section.size = read<uint64_t>(bytes, at + 32);
    section.info = read<uint32_t>(bytes, at + 44);
    if (section.type != kNoBits) {
      if (offset > bytes.size() || section.size > bytes.size() - offset) {
        return invalid_input(fmt::format("section {} at byte {} does not fit the file of {} bytes", i, offset, bytes.size()));
      }
      section.bytes = bytes.substr(offset, section.size);
    }
    out.sections.push_back(section);
  }
  if (names >= count) return invalid_input("the section of names is missing");
  for (size_t i = 0; i < count; ++i) out.sections[i].name = text_at(out.sections[names].bytes, name_offsets[i]);
  const ElfSection* strings = out.find(".strtab");
  for (const ElfSection& section : out.sections) {
    if (section.type != kSymbols || !strings) continue;
    for (size_t at = 0; at + kSymbolBytes <= section.bytes.size(); at += kSymbolBytes) {
      ElfSymbol symbol;
      symbol.name = text_at(strings->bytes, read<uint32_t>(section.bytes, at));
      symbol.type = read<uint8_t>(section.bytes, at + 4) & 15;
      symbol.section = read<uint16_t>(section.bytes, at + 6);
      symbol.value = read<uint64_t>(section.bytes, at + 8);
      symbol.size = read<uint64_t>(section.bytes, at + 16);
      out.symbols.push_back(symbol);
    }
  }
  return out;
}

}  // namespace warplens::sass
