// The kernels of a cubin, by name alone: its code is not read.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/cubin/elf.h"

namespace warplens::cubin {

/// ptxas marks entry points in the upper bits of st_other.
inline bool is_entry(const ElfSymbol& symbol) { return (symbol.other & 0x10) != 0; }

/// Mangled, in the order of their symbols. Errors: no ELF.
Result<std::vector<std::string>> kernel_names(std::string_view cubin);

}  // namespace warplens::cubin
