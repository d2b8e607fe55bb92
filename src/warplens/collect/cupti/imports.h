// Functions that other libraries of the process import, pointed elsewhere.
#pragma once
#include <span>

namespace warplens::cupti {

struct Import {
  const char* name;
  void* to;
};

/// Where loaded libraries and the program import one of `imports`, they call its `to` from now on. Libraries that are
/// named "libcupti" are left alone, and so is the one that this code is in. May be called again, for libraries that
/// were loaded since. On x86-64 and 64-bit ARM; elsewhere nothing happens.
void redirect(std::span<const Import> imports);

/// Goes up whenever a library is loaded.
unsigned long long libraries_loaded();

}  // namespace warplens::cupti
