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
#include "warplens/isa/fatbin/fatbin.h"
#include "warplens/report/code_text.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/run/sass/loaded_code.h"
#include "warplens/run/sass/ready_code.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::cuda_api {

/// Where a kernel's argument lies in its parameter block.
struct Parameter {
  uint32_t offset = 0, size_bytes = 0;
};

class Module;

struct Kernel {
  Module* module = nullptr;  // that it is of
  std::string name;          // mangled
  simt::sass_machine::Program program;
  simt::sass_machine::CodeCache code;  // of `program`
  std::vector<Parameter> parameters;   // in order
  const ptx::Function* ptx = nullptr;  // what checks follow, where it is there
  bool large_clusters = false;         // cudaFuncSetAttribute allowed those that not every GPU has
  uint32_t dynamic_shared_bytes = 0;   // what cudaFuncSetAttribute allowed; 0: the default limit
  bool stale = false;                  // the host has written to constants since `program` was made
};

using Variable = simt::sass_machine::LoadedCode::Placed;

class Module {
 public:
  /// `fatbin` is the container in the program's own memory. Nothing is read before the first use. `checked`: its PTX is
  /// loaded too, which checks follow.
  Module(const void* fatbin, const gpu::Device& device, simt::Memory& memory, bool checked)
      : fatbin_(fatbin), device_(device), memory_(memory), checked_(checked) {}

  /// The same of one image that the program hands over: a cubin, PTX, or a container of its own.
  Module(std::string image, const gpu::Device& device, simt::Memory& memory, bool checked)
      : image_(std::move(image)), device_(device), memory_(memory), checked_(checked) {}

  /// The containers that were linked to make it, and a zero: their PTX is what it has.
  void linked_of(const void* const* containers) { linked_of_ = containers; }

  /// Reads it now. Errors: those of kernel().
  Status load();
  /// Errors: no image for the device, with those there are; a damaged one; no such kernel.
  Result<Kernel*> kernel(const std::string& name);
  /// Errors as above.
  Result<Variable> variable(std::string_view name);
  /// The host has written to a variable: kernels that hold constants of it are made anew.
  void constants_changed();
  /// The program has the address of a constant: it may write there by any call, so kernels are made anew each time.
  void constants_exposed() { exposed_ = true; }

  /// The PTX behind Kernel::ptx; why_no_ptx says why there is none.
  simt::ptx_machine::Module* ptx() { return ptx_.get(); }
  const std::string& why_no_ptx() const { return why_no_ptx_; }

  /// Its instructions and their lines, for reports.
  const report::CodeText& text_of(const Kernel& kernel) {
    return texts_.of(code_.cubin(), kernel.name, kernel.program.code.size());
  }

 private:
  /// The images to choose from: those of the container, or the one that was handed over.
  Result<std::vector<fatbin::Image>> images() const;
  Result<std::string> choose_code() const;
  Result<std::string> choose_ptx() const;
  Status load_ptx();
  Status load_code();

  const void* fatbin_ = nullptr;
  const void* const* linked_of_ = nullptr;
  std::string image_;  // where there is no fatbin_
  const gpu::Device& device_;
  simt::Memory& memory_;
  bool checked_ = false, loaded_ = false, exposed_ = false;
  Status problem_;  // why it cannot be loaded
  std::string why_no_ptx_;
  std::unique_ptr<simt::ptx_machine::Module> ptx_;  // where it is there, variables are its own
  simt::sass_machine::LoadedCode code_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  report::CodeTexts texts_;
};

}  // namespace warplens::cuda_api
