// Local memory under checks: what a thread's stack frame does not have, and bytes of it that were never written.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"

namespace warplens::simt::ptx_machine {

bool ThreadChecker::local_access(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at) {
  const bool write = info.kind != AccessInfo::Kind::kLoad;
  const char* verb = write ? "write" : "read";
  const uint32_t size = info.size_bytes;
  if (checks(kCheckMemory) && (size & (size - 1)) == 0 && at % size) {
    report("misaligned", w, op, lane,
           fmt::format("{} of {} bytes at local address {:#x}, which is not a multiple of {}", verb, size, at, size),
           at, size);
    return false;
  }
  if (checks(kCheckMemory) && !fits(at, size, w.node->local_top)) {
    report("out-of-bounds", w, op, lane,
           fmt::format("{} of {} bytes at offset {} of local memory: the thread has {}", verb, size, at,
                       w.node->local_top),
           at, size);
    return false;
  }
  if (checks(kCheckInit) && !local_written(w, op, info, lane, at))
    report("uninitialised-read", w, op, lane,
           fmt::format("read of {} bytes at offset {} of local memory, of which some were never written", size, at), at,
           size);
  return true;
}

/// Whether the bytes are written, or lie in the frame of a called function, which is not followed. A write marks them.
bool ThreadChecker::local_written(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at) {
  std::vector<uint8_t>& words = w.checks->local_written;
  bool all = true;
  for (uint32_t i = 0; i < info.size_bytes; ++i) {
    const size_t word = (at + i) / 4 * kLanes + lane;
    if (word >= words.size()) return true;
    const auto bit = static_cast<uint8_t>(1u << (at + i) % 4);
    if (info.kind != AccessInfo::Kind::kLoad) words[word] |= bit;
    else if (!(info.unread >> (i / std::max<uint8_t>(op.size, 1)) & 1)) all &= (words[word] & bit) != 0;
  }
  return all;
}

}  // namespace warplens::simt::ptx_machine
