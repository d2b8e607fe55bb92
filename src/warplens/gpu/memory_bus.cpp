#include "warplens/gpu/memory_bus.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace warplens::gpu {
namespace {

constexpr std::pair<std::string_view, int> kBits[] = {
    {"v100", 4096}, {"t4", 256},    {"a100", 5120},     {"a10", 384},   {"rtx3090", 384}, {"rtx4090", 384}, {"l4", 192},
    {"l40s", 384},  {"h100", 5120}, {"h100pcie", 5120}, {"h200", 6016}, {"b200", 8192},   {"rtx5090", 512}};

const std::pair<std::string_view, int>* row_of(const Device& device) {
  return std::ranges::find(kBits, std::string_view(device.key), &std::pair<std::string_view, int>::first);
}

}  // namespace

int memory_bus_bits(const Device& device) {
  const auto* row = row_of(device);
  if (row == std::end(kBits)) row = row_of(default_device(device.architecture()));
  return row != std::end(kBits) ? row->second : 0;
}

}  // namespace warplens::gpu
