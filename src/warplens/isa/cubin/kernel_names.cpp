#include "warplens/isa/cubin/kernel_names.h"

namespace warplens::cubin {

Result<std::vector<std::string>> kernel_names(std::string_view cubin) {
  WL_ASSIGN(const Elf elf, read_elf(cubin));
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.is_function() && is_entry(symbol)) names.emplace_back(symbol.name);
  }
  return names;
}

}  // namespace warplens::cubin
