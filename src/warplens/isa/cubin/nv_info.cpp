#include "warplens/isa/cubin/nv_info.h"

#include "warplens/isa/cubin/elf.h"

namespace warplens::cubin {

std::optional<Parameter> parameter_of(const InfoEntry& entry) {
  const uint32_t last = load<uint32_t>(entry.payload, 8);
  const Parameter out{load<uint16_t>(entry.payload, 4), load<uint16_t>(entry.payload, 6), last};
  constexpr uint32_t kSizeOfLarge = 0xffff;  // above are flags of pointers, from compute capability 10.0 on
  if (entry.attribute == Attribute::kLargeParameter) return Parameter{out.ordinal, out.offset, last & kSizeOfLarge};
  if (entry.attribute != Attribute::kParameter) return std::nullopt;
  return Parameter{out.ordinal, out.offset, last >> 18};  // below are flags
}

std::vector<InfoEntry> read_info(std::string_view section) {
  constexpr uint8_t kSized = 4;  // format of entries whose 16-bit field is the length of what follows
  std::vector<InfoEntry> out;
  for (size_t at = 0; at + 4 <= section.size();) {
    InfoEntry entry{static_cast<Attribute>(load<uint8_t>(section, at + 1)), load<uint16_t>(section, at + 2), {}};
    const auto format = load<uint8_t>(section, at);
    at += 4;
    if (format == kSized) {
      if (entry.value > section.size() - at) break;
      entry.payload = section.substr(at, entry.value);
      at += entry.value;
    }
    out.push_back(entry);
  }
  return out;
}

}  // namespace warplens::cubin
