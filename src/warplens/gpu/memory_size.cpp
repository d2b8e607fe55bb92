#include "warplens/gpu/memory_size.h"

#include <string_view>
#include <utility>

namespace warplens::gpu {
namespace {

constexpr std::pair<std::string_view, uint64_t> kTold[] = {
    // by driver 580, with error correction
    {"h100", uint64_t{81079} << 20},
    {"h200", 150109880320},
};

}  // namespace

uint64_t memory_bytes(const Device& device) {
  const Result<const Device*> known = find_device(device.key);
  for (const auto& [key, bytes] : kTold)
    if (key == device.key && known.ok() && (*known)->memory_gib == device.memory_gib) return bytes;
  return device.memory_gib > 0 ? static_cast<uint64_t>(device.memory_gib) << 30 : 0;
}

}  // namespace warplens::gpu
