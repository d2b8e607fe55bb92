#include "warplens/collect/counters/module_symbols.h"

#include <string_view>

#include "warplens/collect/counters/driver.h"
#include "warplens/collect/process/elf.h"

namespace warplens::cupti {
namespace {

bool is_variable(const Elf64_Sym& symbol, std::string_view section) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0 &&
         (section.starts_with(".nv.global") || section == ".nv.constant3");
}

}  // namespace

void ModuleSymbols::add(const char* cubin, size_t bytes) {
  if (cubin == nullptr) return;
  const Elf elf(cubin, bytes);
  std::vector<std::string> kernels;
  bool calls_out = false;
  elf.each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
    if (name.empty() || name[0] == '$' || name.starts_with("__unnamed")) return;  // literals are never written
    const bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    if (is_variable(symbol, elf.section_name(symbol.st_shndx))) names_.emplace(name);
    else if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
      calls_out = calls_out || (name != "__assertfail" && !name.starts_with(".nv."));
    else if (is_function) kernels.emplace_back(name);
  });
  if (calls_out) calling_out_.insert(kernels.begin(), kernels.end());
}

const std::vector<Region>& ModuleSymbols::variables(void* function) {
  static const std::vector<Region> kNone;
  const Driver& cuda = driver();
  void* module = nullptr;
  if (cuda.cuFuncGetModule == nullptr || cuda.cuFuncGetModule(&module, plain_function(function)) != 0) return kNone;
  if (known_names_ != names_.size()) by_module_.clear();
  known_names_ = names_.size();
  const auto [found, is_new] = by_module_.try_emplace(module);
  if (!is_new) return found->second;
  for (const std::string& name : names_) {
    DevicePointer address = 0;
    size_t bytes = 0;
    if (cuda.cuModuleGetGlobal_v2(&address, &bytes, module, name.c_str()) == 0 && bytes > 0)
      found->second.push_back({address, bytes});
  }
  return found->second;
}

}  // namespace warplens::cupti
