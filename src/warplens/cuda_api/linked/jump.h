// Jumps written over the first bytes of functions in memory, for x86-64.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::cuda_api {

/// `jmp *0(%rip)` and the address behind it.
inline constexpr size_t kJumpBytes = 14;

struct Jump {
  uintptr_t from = 0;
  const void* to = nullptr;
};

/// Pages of one mapping, and how the loader protects them.
struct CodePages {
  uintptr_t begin = 0, end = 0;
  int protection = 0;  // of mprotect
};

/// Writes jumps that all lie in `pages`, which get their protection back. Errors: the system does not let code be
/// changed.
Status write_jumps(const CodePages& pages, const std::vector<Jump>& jumps);

}  // namespace warplens::cuda_api
