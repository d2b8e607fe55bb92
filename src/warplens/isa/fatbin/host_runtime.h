// Which CUDA runtime an executable or library of the host uses, read from its ELF tables. No code is looked at.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/cubin/elf.h"

namespace warplens::fatbin {

enum class HostRuntimeKind : uint8_t {
  kNone,      // no sign of one
  kShared,    // it asks for libcudart.so, or for another library's calls
  kLinked,    // a static copy, with its functions in the symbol table
  kStripped,  // its own copy, with the names removed
};

/// A function of the runtime that is linked into a file.
struct LinkedCall {
  std::string_view name;
  uint64_t address = 0;     // as the file has it; the loader adds its base
  uint64_t room_bytes = 0;  // up to the next function
};

struct HostRuntime {
  HostRuntimeKind kind = HostRuntimeKind::kNone;
  int major = 0;                  // of CUDA; 0: not known. 11 means all before 12
  std::vector<LinkedCall> calls;  // of kLinked, by address
};

/// Reads `elf`, of cubin::read_elf_sections. Views into the file's bytes.
HostRuntime host_runtime_of(const cubin::Elf& elf);

}  // namespace warplens::fatbin
