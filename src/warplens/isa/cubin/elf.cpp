#include "warplens/isa/cubin/elf.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::cubin {
namespace {

constexpr uint32_t kRela = 4, kNoBits = 8, kRel = 9;
constexpr size_t kHeaderBytes = 64, kSectionBytes = 64, kSegmentBytes = 56, kSymbolBytes = 24;

/// A name is at most this long: thousands of entries may name one text of megabytes.
constexpr size_t kLongestName = size_t{64} << 10;

std::string_view name_at(std::string_view strings, uint32_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset, kLongestName);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

Status read_sections(std::string_view bytes, Elf& elf) {
  const auto table = load<uint64_t>(bytes, 40);
  const auto count = load<uint16_t>(bytes, 60);
  const auto names = load<uint16_t>(bytes, 62);
  if (table > bytes.size() || (bytes.size() - table) / kSectionBytes < count) {
    return invalid_input(fmt::format("the table of {} sections at byte {} does not fit the file", count, table));
  }
  for (size_t i = 0; i < count; ++i) {
    const std::string_view header = bytes.substr(table + i * kSectionBytes, kSectionBytes);
    ElfSection section;
    section.type = load<uint32_t>(header, 4);
    section.flags = load<uint64_t>(header, 8);
    section.size = load<uint64_t>(header, 32);
    section.link = load<uint32_t>(header, 40);
    section.info = load<uint32_t>(header, 44);
    const auto offset = load<uint64_t>(header, 24);
    if (section.type != kNoBits && section.type != 0) {
      if (offset > bytes.size() || section.size > bytes.size() - offset) {
        return invalid_input(fmt::format("section {} at byte {} does not fit the file", i, offset));
      }
      section.bytes = bytes.substr(offset, section.size);
    }
    elf.sections.push_back(section);
  }
  const std::string_view strings = names < count ? elf.sections[names].bytes : std::string_view();
  for (size_t i = 0; i < count; ++i) {
    elf.sections[i].name = name_at(strings, load<uint32_t>(bytes, table + i * kSectionBytes));
    elf.by_name.try_emplace(elf.sections[i].name, i);
  }
  return {};
}

Status read_segments(std::string_view bytes, Elf& elf) {
  const auto table = load<uint64_t>(bytes, 32);
  const auto count = load<uint16_t>(bytes, 56);
  if (table > bytes.size() || (bytes.size() - table) / kSegmentBytes < count)
    return invalid_input(fmt::format("the table of {} segments at byte {} does not fit the file", count, table));
  for (size_t i = 0; i < count; ++i) {
    const std::string_view header = bytes.substr(table + i * kSegmentBytes, kSegmentBytes);
    elf.segments.push_back({load<uint32_t>(header, 0), load<uint32_t>(header, 4), load<uint64_t>(header, 8),
                            load<uint64_t>(header, 16), load<uint64_t>(header, 32), load<uint64_t>(header, 40)});
  }
  return {};
}

}  // namespace

const ElfSection* Elf::section(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : &sections[found->second];
}

const ElfSection* Elf::first_of(uint32_t type) const {
  const auto found = std::ranges::find(sections, type, &ElfSection::type);
  return found == sections.end() ? nullptr : &*found;
}

std::string_view Elf::names_of(const ElfSection& table) const {
  return table.link < sections.size() ? sections[table.link].bytes : std::string_view();
}

std::vector<ElfSymbol> Elf::symbols_of(const ElfSection& table) const {
  std::vector<ElfSymbol> out;
  const std::string_view strings = names_of(table);
  for (size_t at = 0; at + kSymbolBytes <= table.bytes.size(); at += kSymbolBytes) {
    const std::string_view entry = table.bytes.substr(at, kSymbolBytes);
    out.push_back({name_at(strings, load<uint32_t>(entry, 0)), load<uint8_t>(entry, 4), load<uint8_t>(entry, 5),
                   load<uint16_t>(entry, 6), load<uint64_t>(entry, 8), load<uint64_t>(entry, 16)});
  }
  return out;
}

std::vector<ElfRelocation> Elf::relocations(std::string_view name) const {
  std::vector<ElfRelocation> out;
  for (const ElfSection& each : sections) {
    const bool with_addend = each.type == kRela && each.name == ".rela" + std::string(name);
    const bool without = each.type == kRel && each.name == ".rel" + std::string(name);
    if (!with_addend && !without) continue;
    const size_t entry_bytes = with_addend ? 24 : 16;
    for (size_t at = 0; at + entry_bytes <= each.bytes.size(); at += entry_bytes) {
      out.push_back({load<uint64_t>(each.bytes, at), load<uint32_t>(each.bytes, at + 12),
                     load<uint32_t>(each.bytes, at + 8), with_addend ? load<int64_t>(each.bytes, at + 16) : 0});
    }
  }
  return out;
}

bool is_elf(std::string_view bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

bool is_cubin(std::string_view bytes) { return is_elf(bytes) && load<uint16_t>(bytes, 18) == kMachineCuda; }

int architecture_of(const Elf& elf) {
  constexpr uint8_t kSecondByte = 8;  // since this version of the ABI
  return static_cast<int>(elf.abi_version >= kSecondByte ? elf.flags >> 8 & 0xff : elf.flags & 0xff);
}

int ptx_architecture_of(const Elf& elf) {
  constexpr size_t kContents = 24;  // behind three lengths and the name, "NVIDIA Corp"
  const ElfSection* note = elf.section(".note.nv.cuinfo");
  const int written = note != nullptr ? load<uint16_t>(note->bytes, kContents + 2) : 0;
  return written != 0 ? written : architecture_of(elf);
}

Result<Elf> read_elf_sections(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !is_elf(bytes)) return invalid_input("this is no ELF file");
  if (bytes[4] != 2 || bytes[5] != 1) return invalid_input("this ELF file is not 64-bit little-endian");
  Elf elf;
  elf.abi_version = load<uint8_t>(bytes, 8);
  elf.machine = load<uint16_t>(bytes, 18);
  elf.flags = load<uint32_t>(bytes, 48);
  WL_TRY(read_sections(bytes, elf));
  WL_TRY(read_segments(bytes, elf));
  return elf;
}

Result<Elf> read_elf(std::string_view bytes) {
  WL_ASSIGN(Elf elf, read_elf_sections(bytes));
  if (const ElfSection* table = elf.first_of(kSymbolTable)) elf.symbols = elf.symbols_of(*table);
  return elf;
}

}  // namespace warplens::cubin
