// Files by which programs see that there is a GPU before they call its driver: /dev/nvidiactl, and /dev/nvidia0 of the
// first one. They are there for who asks for them by name, and look like /dev/null. All else goes to the kernel.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "warplens/collect/emulation_settings.h"

namespace {

bool is_device_file(std::string_view path) {
  constexpr std::string_view kBegin = "/dev/nvidia";
  if (!path.starts_with(kBegin)) return false;
  const std::string_view name = path.substr(kBegin.size());
  if (name == "ctl" || name == "-uvm") return true;
  const char* const count = std::getenv(warplens::collect::kDevicesVariable);
  if (count == nullptr || name.empty() || name.size() > 3 || (name[0] == '0' && name.size() > 1)) return false;
  int number = 0;
  for (const char digit : name) {
    if (digit < '0' || digit > '9') return false;
    number = number * 10 + (digit - '0');
  }
  return number < std::atoi(count);
}

const char* shown(const char* path) { return path != nullptr && is_device_file(path) ? "/dev/null" : path; }

int status(int folder, const char* path, void* out, int flags) {
  return static_cast<int>(::syscall(SYS_newfstatat, folder, shown(path), out, flags));
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED int access(const char* path, int mode) noexcept {
  return static_cast<int>(::syscall(SYS_faccessat, AT_FDCWD, shown(path), mode));
}
EXPORTED int statx(int folder, const char* path, int flags, unsigned mask, struct statx* out) noexcept {
  return static_cast<int>(::syscall(SYS_statx, folder, shown(path), flags, mask, out));
}

// On a processor of 64 bits all of these have one structure, the kernel's. The last ones are those of programs that
// were built with a C library before 2.33.
EXPORTED int stat(const char* path, struct stat* out) noexcept { return status(AT_FDCWD, path, out, 0); }
EXPORTED int stat64(const char* path, struct stat64* out) noexcept { return status(AT_FDCWD, path, out, 0); }
EXPORTED int lstat(const char* path, struct stat* out) noexcept {
  return status(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
EXPORTED int lstat64(const char* path, struct stat64* out) noexcept {
  return status(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
EXPORTED int fstatat(int folder, const char* path, struct stat* out, int flags) noexcept {
  return status(folder, path, out, flags);
}
EXPORTED int fstatat64(int folder, const char* path, struct stat64* out, int flags) noexcept {
  return status(folder, path, out, flags);
}
EXPORTED int __xstat(int, const char* path, struct stat* out) noexcept { return status(AT_FDCWD, path, out, 0); }
EXPORTED int __xstat64(int, const char* path, struct stat64* out) noexcept { return status(AT_FDCWD, path, out, 0); }
