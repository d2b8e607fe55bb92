#include "warplens/base/dynamic_library.h"

#include <dlfcn.h>

namespace warplens {

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& candidates) {
  std::string reason = "no candidates";
  for (const std::string& candidate : candidates) {
    if (void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return DynamicLibrary(handle, candidate);
    reason = ::dlerror();
  }
  return not_found(reason);
}

Status DynamicLibrary::find_symbol(const char* name, void** symbol) const {
  *symbol = ::dlsym(handle_, name);
  return *symbol != nullptr ? Status() : unsupported(path_ + ": has no function " + name);
}

}  // namespace warplens
