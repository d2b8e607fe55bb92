#include "warplens/collect/stacks/thread_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <unordered_map>

#include "warplens/collect/process/own_descriptor.h"

namespace warplens::collect {
namespace {

constexpr size_t kMostOpen = 64;

int open_thread_file(uint32_t thread, ThreadFile file) {
  char path[64];
  const char* name = file == ThreadFile::kSystemCall ? "syscall" : "status";
  std::snprintf(path, sizeof path, "/proc/self/task/%u/%s", thread, name);
  return own_descriptor(::open(path, O_RDONLY | O_CLOEXEC));
}

}  // namespace

std::string_view read_thread_file(uint32_t thread, ThreadFile file, std::span<char> to) {
  static auto& open = *new std::unordered_map<uint64_t, int>;  // never destroyed: who samples may outlive main()
  const uint64_t key = uint64_t{thread} << 8 | static_cast<uint8_t>(file);
  const auto close_all = [] {
    for (const auto& [of, descriptor] : open) ::close(descriptor);
    open.clear();
  };
  if (open.size() >= kMostOpen && !open.contains(key)) close_all();
  for (const bool is_kept : {open.contains(key), false}) {  // one that was kept may be of a thread that has ended
    const int descriptor = is_kept ? open[key] : open_thread_file(thread, file);
    if (descriptor < 0) return {};
    const ssize_t bytes = ::pread(descriptor, to.data(), to.size(), 0);
    if (bytes > 0) {
      open[key] = descriptor;
      return {to.data(), static_cast<size_t>(bytes)};
    }
    ::close(descriptor);
    open.erase(key);
    if (!is_kept) break;
  }
  return {};
}

}  // namespace warplens::collect
