#include "warplens/isa/fatbin/host_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace warplens::fatbin {
namespace {

/// An ELF file with one table of functions, 16 bytes apart from 0x1000; a name that begins with '?' is one that another
/// file has.
class ElfFile {
 public:
  ElfFile(uint32_t type, const std::vector<std::string>& names, const std::string& section = ".symtab") {
    std::string symbols(24, '\0'), strings(1, '\0'), titles("\0", 1);
    uint64_t address = 0x1000;
    for (const std::string& name : names) {
      const bool defined = !name.starts_with('?');
      add<uint32_t>(&symbols, static_cast<uint32_t>(strings.size()));
      add<uint8_t>(&symbols, 2);
      add<uint8_t>(&symbols, 0);
      add<uint16_t>(&symbols, defined ? 1 : 0);
      add<uint64_t>(&symbols, defined ? address : 0);
      add<uint64_t>(&symbols, defined ? 10 : 0);
      strings += name.substr(defined ? 0 : 1) + '\0';
      address += 16;
    }
    titles += section + '\0';
    bytes_.assign(
        "\x7f"
        "ELF\x02\x01\x01");
    bytes_.resize(64);
    const size_t symbols_at = put(symbols), strings_at = put(strings), titles_at = put(titles),
                 table_at = bytes_.size();
    add_section(0, 0, 0, 0, 0);
    add_section(1, type, symbols_at, symbols.size(), 2);
    add_section(0, 3, strings_at, strings.size(), 0);
    add_section(0, 3, titles_at, titles.size(), 0);
    set<uint64_t>(40, table_at);
    set<uint16_t>(60, 4);
    set<uint16_t>(62, 3);
  }

  HostRuntime runtime() const {
    const auto elf = cubin::read_elf_sections(bytes_);
    EXPECT_TRUE(elf.ok()) << elf.status().message();
    return elf.ok() ? host_runtime_of(*elf) : HostRuntime{};
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  static void add(std::string* to, T value) {
    to->append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void set(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  size_t put(const std::string& part) {
    bytes_ += part;
    return bytes_.size() - part.size();
  }
  void add_section(uint32_t name, uint32_t type, uint64_t at, uint64_t size, uint32_t link) {
    const size_t begin = bytes_.size();
    bytes_.resize(begin + 64);
    set(begin, name);
    set(begin + 4, type);
    set(begin + 24, at);
    set(begin + 32, size);
    set(begin + 40, link);
  }
  std::string bytes_;
};

constexpr uint32_t kNames = cubin::kSymbolTable, kDynamic = cubin::kDynamicSymbolTable;

TEST(HostRuntime, IsLinkedWhereTheFunctionsAreThere) {
  const ElfFile file(kNames, {"main", "__cudaRegisterFatBinary", "cudaMalloc", "helper", "cudaFree"});
  const HostRuntime runtime = file.runtime();
  EXPECT_EQ(runtime.kind, HostRuntimeKind::kLinked);
  EXPECT_EQ(runtime.major, 13);
  ASSERT_EQ(runtime.calls.size(), 3);
  EXPECT_EQ(runtime.calls[1].name, "cudaMalloc");
  EXPECT_EQ(runtime.calls[1].address, 0x1020);
  EXPECT_EQ(runtime.calls[1].room_bytes, 16) << "the filling behind 10 bytes of code belongs to nobody";
  EXPECT_EQ(runtime.calls[2].room_bytes, 10) << "nothing is known behind the last";
}

TEST(HostRuntime, IsSharedWhereAnotherFileHasThem) {
  EXPECT_EQ(ElfFile(kDynamic, {"main", "?__cudaRegisterFatBinary"}).runtime().kind, HostRuntimeKind::kShared);
  const HostRuntime named = ElfFile(kDynamic, {"main", "?libcudart.so.12"}).runtime();  // as in the strings of a file
  EXPECT_EQ(named.kind, HostRuntimeKind::kShared);
  EXPECT_EQ(named.major, 12);
}

TEST(HostRuntime, TellsVersionsByWhatOnlyTheyHave) {
  const auto major = [](const std::string& name) {
    return ElfFile(kNames, {"__cudaRegisterFatBinary", name}).runtime().major;
  };
  EXPECT_EQ(major("cudaGetDeviceProperties_v2"), 12);
  EXPECT_EQ(major("cudaBindTexture"), 11);
  EXPECT_EQ(major("cudaGetDeviceProperties"), 13);
}

TEST(HostRuntime, IsStrippedWhereOnlyTheSectionOfFatBinariesTells) {
  EXPECT_EQ(ElfFile(kDynamic, {"main"}, ".nvFatBinSegment").runtime().kind, HostRuntimeKind::kStripped);
  EXPECT_EQ(ElfFile(kNames, {"main", "cudaHelper"}).runtime().kind, HostRuntimeKind::kNone);
}

TEST(HostRuntime, ReadsFilesThatAreCutShort) {
  const ElfFile file(kNames, {"__cudaRegisterFatBinary", "cudaMalloc"});
  for (size_t size = 0; size < file.bytes().size(); ++size) {
    const auto elf = cubin::read_elf_sections(std::string_view(file.bytes()).substr(0, size));
    if (elf.ok()) (void)host_runtime_of(*elf);
  }
}

}  // namespace
}  // namespace warplens::fatbin
