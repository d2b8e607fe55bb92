// Handles by which another process reaches memory and events: 64 bytes, meaningless to any other program.
#pragma once
#include <array>
#include <cstdint>

namespace warplens::cuda_api {

enum class IpcKind : uint32_t { kMemory = 0x6d656d77, kEvent = 0x76657677 };

struct IpcHandle {
  IpcKind kind;
  int process, descriptor, device;
  std::array<uint8_t, 16> stamp;  // of the process's exported memory
  uint64_t begin, size_bytes;     // of the allocation, in the process that made it
  uint64_t unused[2];
  bool operator==(const IpcHandle&) const = default;
};
static_assert(sizeof(IpcHandle) == 64);

}  // namespace warplens::cuda_api
