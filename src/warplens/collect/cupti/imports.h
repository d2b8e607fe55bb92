// Functions that other libraries of the process import, pointed elsewhere.
#pragma once
#include <span>

namespace warplens::cupti {

struct Import {
  const char* name;
  void* to;
};

/// Redirects imports: loaded libraries and the program that import one of `imports` call its `to` from now on. Skips
/// this library and libraries named "libcupti". May be called again, for libraries loaded since. Works on x86-64 and
/// 64-bit ARM; does nothing elsewhere.
void redirect(std::span<const Import> imports);

/// Goes up whenever a library is loaded.
unsigned long long libraries_loaded();

}  // namespace warplens::cupti
