#include "warplens/cuda_api/linked/jump.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "warplens/base/text.h"

namespace warplens::cuda_api {

Status write_jumps(const CodePages& pages, const std::vector<Jump>& jumps) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t begin = pages.begin / page * page;
  auto* const first = reinterpret_cast<void*>(begin);
  // It stays executable: the code that is changed may lie beside code that other threads run.
  if (::mprotect(first, pages.end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return unsupported(fmt::format("the system does not let code be changed: {}", std::strerror(errno)));
  for (const Jump& jump : jumps) {
    std::array<uint8_t, kJumpBytes> bytes{0xff, 0x25};
    std::memcpy(bytes.data() + 6, &jump.to, sizeof jump.to);
    std::memcpy(reinterpret_cast<void*>(jump.from), bytes.data(), bytes.size());
  }
  if (::mprotect(first, pages.end - begin, pages.protection) != 0)
    return unsupported(fmt::format("the protection of changed code stays open: {}", std::strerror(errno)));
  return {};
}

}  // namespace warplens::cuda_api
