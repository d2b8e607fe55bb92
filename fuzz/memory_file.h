// A file in memory, for code that reads by name.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace fuzz {

/// It is read under its name in /proc.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("trace", MFD_CLOEXEC)) {}
  ~MemoryFile() { ::close(fd_); }
  bool set(const uint8_t* data, size_t size) {
    return ::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, data, size, 0) == static_cast<ssize_t>(size);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace fuzz
