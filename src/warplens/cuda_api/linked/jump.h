// Jumps written over the first bytes of functions in memory, for x86-64 and 64-bit ARM.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::cuda_api {

/// An instruction or two, and the address behind them.
#if defined(__aarch64__)
inline constexpr size_t kJumpBytes = 16;  // ldr x16, 8; br x16
#else
inline constexpr size_t kJumpBytes = 14;  // jmp *0(%rip)
#endif

struct Jump {
  uintptr_t from = 0;
  const void* to = nullptr;
};

/// Pages of one mapping, and how the loader protects them.
struct CodePages {
  uintptr_t begin = 0, end = 0;
  int protection = 0;  // of mprotect
};

/// Writes jumps that all are in `pages`, which get their protection back. Errors: the system does not let code be
/// changed.
Status write_jumps(const CodePages& pages, const std::vector<Jump>& jumps);

}  // namespace warplens::cuda_api
