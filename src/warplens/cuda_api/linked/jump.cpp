#include "warplens/cuda_api/linked/jump.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "warplens/base/text.h"

namespace warplens::cuda_api {
namespace {

#if defined(__aarch64__)
constexpr std::array<uint8_t, 8> kGoOn = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};
#else
constexpr std::array<uint8_t, 6> kGoOn = {0xff, 0x25, 0, 0, 0, 0};
#endif
static_assert(kGoOn.size() + sizeof(Jump::to) == kJumpBytes);

}  // namespace

Status write_jumps(const CodePages& pages, const std::vector<Jump>& jumps) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t begin = pages.begin / page * page;
  auto* const first = reinterpret_cast<void*>(begin);
  // It stays executable: the code that is changed may lie beside code that other threads run.
  if (::mprotect(first, pages.end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return unsupported(fmt::format("the system does not let code be changed: {}", std::strerror(errno)));
  for (const Jump& jump : jumps) {
    auto* const at = reinterpret_cast<char*>(jump.from);
    std::memcpy(at, kGoOn.data(), kGoOn.size());
    std::memcpy(at + kGoOn.size(), &jump.to, sizeof jump.to);
    __builtin___clear_cache(at, at + kJumpBytes);
  }
  if (::mprotect(first, pages.end - begin, pages.protection) != 0)
    return unsupported(fmt::format("the protection of changed code cannot be restored: {}", std::strerror(errno)));
  return {};
}

}  // namespace warplens::cuda_api
