// Traces through every verb that reads profiles: with any content, each verb prints a report or an error.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mutate_json.h"
#include "warplens/cli/run.h"

namespace {

/// A file in memory, under its name in /proc.
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  if (!file.set(data, size)) std::abort();
  const std::string path = file.path();
  const std::vector<std::vector<std::string>> commands = {{"summary", path},
                                                          {"summary", path, "--json"},
                                                          {"ops", path},
                                                          {"ops", path, "--by-shape", "--by-stack", "5", "--json"},
                                                          {"ops", path, "--torch"},
                                                          {"ops", path, "--by", "module"},
                                                          {"findings", path, "--json"},
                                                          {"timeline", path},
                                                          {"timeline", path, "--json"},
                                                          {"export", path, "-t", "chrome"},
                                                          {"export", path, "-t", "stacks"},
                                                          {"export", path, "-t", "flamegraph"},
                                                          {"diff", path, path},
                                                          {"ranks", path, path},
                                                          {"doctor", path},
                                                          {"convert", path}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"-o", "/dev/null"});
    const int code = warplens::cli::run(command);
    if (code != 0 && code != 1) std::abort();  // nothing here is a matter of flags
  }
  return 0;
}
