// CUDA or C++ source with host code to functions that can be called: nvcc, started by ninja, and a shared library.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/dynamic_library.h"

namespace warplens::cuda {

struct HostSource {
  std::string file_name;  // "main.cu"; its ending chooses the language
  std::string text;
};

struct HostOptions {
  std::vector<std::string> compiler_options;  // nvcc's options, beside -O2 -std=c++17 -Xcompiler -fPIC
  std::vector<std::string> link_options;
  std::string arch = "native";
};

class InlineHost {
 public:
  /// Builds the sources into one library, in a cache folder named after their content. A second load of the same
  /// sources takes it from there. The error is the compiler's output, with the faulty lines.
  static Result<InlineHost> load(const std::vector<HostSource>& sources, const HostOptions& options = {});

  /// A function with C linkage: `auto add = host.function<int(int, int)>("add")`.
  template <typename Signature>
  Result<Signature*> function(const std::string& name) const {
    Signature* found = nullptr;
    WL_TRY(library_.find(name.c_str(), found));
    return found;
  }
  bool cached() const { return cached_; }

 private:
  InlineHost(DynamicLibrary library, bool cached) : library_(std::move(library)), cached_(cached) {}
  DynamicLibrary library_;
  bool cached_;
};

}  // namespace warplens::cuda
