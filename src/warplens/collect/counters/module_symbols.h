// Facts about loaded machine code for the injected library: its variables, which kernels may change, and kernels that
// print or allocate, which replays would repeat.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "warplens/collect/counters/memory_map.h"

namespace warplens::cupti {

class ModuleSymbols {
 public:
  /// A cubin as it was loaded.
  void add(const char* cubin, size_t bytes);
  /// The variables of the module that `function` is of, in the current context.
  const std::vector<Region>& variables(void* function);
  /// True if the code of `kernel` (mangled) calls functions with effects outside its memory: printf, malloc,
  /// launches.
  bool has_side_effects(const std::string& kernel) const { return calling_out_.contains(kernel); }

 private:
  std::set<std::string> names_, calling_out_;
  std::map<void*, std::vector<Region>> by_module_;
  size_t known_names_ = 0;  // when by_module_ was filled
};

}  // namespace warplens::cupti
