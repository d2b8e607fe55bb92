// Native files: raw bytes, and bytes behind checksums made right, so that what is behind them is reached.
#include <cstring>

#include "warplens/base/checksum.h"
#include "warplens/trace/profile/native/layout.h"
#include "warplens/trace/profile/native/read.h"

namespace {

using namespace warplens::native;

/// Makes magic, sizes and checksums of the header, the directory and the sections right.
void make_plausible(std::string& bytes) {
  if (bytes.size() < sizeof(Header)) return;
  auto* header = reinterpret_cast<Header*>(bytes.data());
  std::memcpy(header->magic, kMagic, sizeof kMagic);
  header->major = kMajor, header->byte_order = kByteOrder, header->file_bytes = bytes.size();
  header->sections %= (bytes.size() - sizeof(Header)) / sizeof(Section) + 1;
  auto* sections = reinterpret_cast<Section*>(header + 1);
  for (size_t i = 0; i < header->sections; ++i) {
    Section& section = sections[i];
    if (section.offset <= bytes.size() && section.bytes <= bytes.size() - section.offset)
      section.checksum = warplens::checksum({bytes.data() + section.offset, section.bytes});
  }
  header->directory_checksum =
      warplens::checksum({reinterpret_cast<const char*>(sections), header->sections * sizeof(Section)});
  header->header_checksum = warplens::checksum({bytes.data(), offsetof(Header, header_checksum)});
}

void visit_everything(const warplens::Profile& profile) {
  size_t seen = 0;
  warplens::for_each_table(profile, [&](const char*, const auto& table, const char*) {
    warplens::for_each_column(table, [&]<typename T>(const char*, const warplens::Column<T>& column, const char*) {
      for (const T value : column)
        if constexpr (std::is_same_v<T, warplens::StringId>) seen += profile.text(value).size();
    });
  });
  if (seen == SIZE_MAX) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto backing = std::make_shared<std::string>(reinterpret_cast<const char*>(data), size);
  if (size % 8 != 0) make_plausible(*backing);
  const auto profile = read(*backing, backing, "fuzz");
  if (profile.ok()) visit_everything(profile.value());
  return 0;
}
