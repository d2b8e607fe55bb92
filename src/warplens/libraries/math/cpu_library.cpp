#include "warplens/libraries/math/cpu_library.h"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <vector>

#include "warplens/base/text.h"

namespace warplens::libraries {
namespace {

/// PyTorch's own comes first: a CPU tensor and an emulated one are then computed by the same code. It is loaded by the
/// time that it matters, and is never loaded here.
std::vector<void*> open_libraries() {
  std::vector<void*> out;
  if (void* torch = ::dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD)) out.push_back(torch);
  for (const char* name : {"libopenblas.so.0", "libblas.so.3", "liblapack.so.3"}) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) out.push_back(library);
  }
  return out;
}

}  // namespace

Status find_cpu_function(const char* name, void** function) {
  static std::mutex mutex;
  static std::map<std::string, void*> known;
  static const std::vector<void*> libraries = open_libraries();
  const std::lock_guard lock(mutex);
  void*& found = known[name];
  for (size_t i = 0; i < libraries.size() && found == nullptr; ++i) found = ::dlsym(libraries[i], name);
  *function = found;
  if (found != nullptr) return {};
  return not_found(
      fmt::format("no library for the CPU has {}, which computes it here: install OpenBLAS (Debian and Ubuntu: "
                  "libopenblas0-pthread)",
                  name));
}

}  // namespace warplens::libraries
