// Shared libraries loaded at run time, and the functions found in them.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens {

/// Never unloaded: NVIDIA's libraries keep threads and exit handlers.
class DynamicLibrary {
 public:
  /// Loads the first of `candidates` (paths or sonames) that can be loaded. The error has the reason for the last one.
  static Result<DynamicLibrary> open(const std::vector<std::string>& candidates);
  /// Fills `function` with the symbol `name`.
  template <typename Function>
  Status find(const char* name, Function*& function) const {
    void* symbol = nullptr;
    WL_TRY(find_symbol(name, &symbol));
    function = reinterpret_cast<Function*>(symbol);
    return {};
  }
  const std::string& path() const { return path_; }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  Status find_symbol(const char* name, void** symbol) const;
  void* handle_;
  std::string path_;
};

}  // namespace warplens
