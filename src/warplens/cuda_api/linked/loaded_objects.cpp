#include "warplens/cuda_api/linked/loaded_objects.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <string_view>

#include "warplens/cuda_api/linked/jump.h"

namespace warplens::cuda_api {
namespace {

void (*wanted)() = nullptr;

/// Runs where the dynamic linker calls the empty function that debuggers watch.
void changed() {
  if (_r_debug.r_state == r_debug::RT_CONSISTENT && wanted != nullptr) wanted();
}

/// Whether code is no more than a return, with filling up to where the next function may begin.
bool is_empty_function(const uint8_t* code) {
  const std::string_view bytes(reinterpret_cast<const char*>(code), kJumpBytes);
#if defined(__aarch64__)
  constexpr std::string_view kTarget("\x5f\x24\x03\xd5", 4), kReturn("\xc0\x03\x5f\xd6", 4),
      kNop("\x1f\x20\x03\xd5", 4);
  size_t next = bytes.starts_with(kTarget) ? 4 : 0;
  if (bytes.substr(next, 4) != kReturn) return false;
  for (next += 4; next < bytes.size(); next += 4) {
    if (bytes.substr(next, 4) != kNop) return false;
  }
  return true;
#else
  constexpr std::string_view kBranchTarget("\xf3\x0f\x1e\xfa", 4);
  const size_t at = bytes.starts_with(kBranchTarget) ? kBranchTarget.size() : 0;
  if (bytes[at] != '\xc3') return false;
  const std::string_view filling = bytes.substr(at + 1);
  constexpr std::string_view kLongNop("\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 11),
      kNop("\x66\x2e\x0f\x1f\x84", 5);
  return filling.starts_with(kLongNop.substr(0, filling.size())) || filling.starts_with(kNop) ||
         filling.find_first_not_of('\x90') == std::string_view::npos ||
         filling.find_first_not_of('\xcc') == std::string_view::npos;
#endif
}

}  // namespace

Status on_loaded(void (*loaded)()) {
  const auto at = static_cast<uintptr_t>(_r_debug.r_brk);
  if (at == 0 || !is_empty_function(reinterpret_cast<const uint8_t*>(at)))
    return unsupported("the dynamic linker of this system does not report the libraries that it loads");
  wanted = loaded;
  return write_jumps({at, at + kJumpBytes, PROT_READ | PROT_EXEC}, {{at, reinterpret_cast<const void*>(&changed)}});
}

std::vector<const link_map*> loaded_objects() {
  std::vector<const link_map*> out;
  for (const link_map* each = _r_debug.r_map; each != nullptr; each = each->l_next) out.push_back(each);
  return out;
}

std::string file_of(const link_map& object) {
  if (object.l_name != nullptr && *object.l_name != '\0') return object.l_name;
  std::string path(PATH_MAX, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(length > 0 ? static_cast<size_t>(length) : 0);
  return path;
}

}  // namespace warplens::cuda_api
