// A program's fat binary, loaded for one GPU: its variables in device memory, its kernels ready to be launched.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/gpu/device.h"
#include "warplens/report/code_text.h"
#include "warplens/run/sass/loaded_code.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::cuda_api {

/// Where a kernel's argument lies in its parameter block.
struct Parameter {
  uint32_t offset = 0, size_bytes = 0;
};

class Module;

struct Kernel {
  Module* module = nullptr;           // that it is of
  std::string name;                   // mangled
  simt::sass_machine::Program program;
  std::vector<Parameter> parameters;  // in order
  uint32_t max_threads = 0;           // .maxntid's product; 0: none
  uint32_t dynamic_shared_bytes = 0;  // what cudaFuncSetAttribute allowed; 0: the default limit
  std::array<uint32_t, 3> cluster{1, 1, 1};  // .reqnctapercluster
  bool stale = false;                 // the host has written to constants since `program` was made
};

using Variable = simt::sass_machine::LoadedCode::Placed;

class Module {
 public:
  /// `fatbin` is the container in the program's own memory. Nothing is read before the first use.
  Module(const void* fatbin, const gpu::Device& device, simt::Memory& memory)
      : fatbin_(fatbin), device_(device), memory_(memory) {}

  /// Errors: no image for the device, with those there are; a damaged one; no such kernel.
  Result<Kernel*> kernel(const std::string& name);
  /// Errors as above.
  Result<Variable> variable(std::string_view name);
  /// The host has written to a variable: kernels that hold constants of it are made anew.
  void constants_changed();
  /// The program has the address of a constant: it may write there by any call, so kernels are made anew each time.
  void constants_exposed() { exposed_ = true; }

  /// Its instructions and their lines, for reports.
  const report::CodeText& text_of(const Kernel& kernel) {
    return texts_.of(code_.cubin(), kernel.name, kernel.program.code.size());
  }

 private:
  Status load();
  Result<std::string> choose_code() const;

  const void* fatbin_;
  const gpu::Device& device_;
  simt::Memory& memory_;
  bool loaded_ = false, exposed_ = false;
  Status problem_;     // why it cannot be loaded
  simt::sass_machine::LoadedCode code_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  report::CodeTexts texts_;
};

}  // namespace warplens::cuda_api
