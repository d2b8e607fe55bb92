#include "warplens/base/system_memory.h"

#include <algorithm>
#include <string>

#include "warplens/base/files.h"
#include "warplens/base/text.h"

namespace warplens {
namespace {

/// The number on the line that begins with `key`, in its own unit; UINT64_MAX when there is none.
uint64_t number_after(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trim(line.substr(key.size()));
    const auto value = parse_int(rest.substr(0, rest.find(' ')));
    return value && *value >= 0 ? static_cast<uint64_t>(*value) : UINT64_MAX;
  }
  return UINT64_MAX;
}

uint64_t number_in(const std::string& path) {
  const auto text = read_file(path);
  return text.ok() ? number_after(*text, "") : UINT64_MAX;
}

}  // namespace

uint64_t available_memory_bytes() {
  uint64_t bytes = UINT64_MAX;
  if (const auto info = read_file("/proc/meminfo"); info.ok()) {
    const uint64_t kilobytes = number_after(*info, "MemAvailable:");
    if (kilobytes != UINT64_MAX) bytes = kilobytes * 1024;
  }
  const uint64_t limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (limit != UINT64_MAX && used != UINT64_MAX) bytes = std::min(bytes, limit > used ? limit - used : 0);
  return bytes;
}

}  // namespace warplens
