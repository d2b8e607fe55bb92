// CUDA source in a string to functions that can be called: `load_inline` for kernels, without a host compiler.
//
//   auto gpu = warplens::cuda::Device::open();
//   auto module = warplens::cuda::InlineKernels::load(*gpu, R"(extern "C" __global__ void twice(float* x) {...})");
//   auto twice = module->function("twice");
//   auto status = twice->launch({.grid = {64}, .block = {256}}, pointer);
#pragma once
#include <array>
#include <map>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/build/inline/module.h"

namespace warplens::cuda {

struct InlineOptions {
  std::vector<std::string> compiler_options;  // as nvrtc takes them
  std::vector<std::string> instances;         // of templates: "scale<float, 4>"
  /// Wait for each launch, so that an error names the launch that made it; WARPLENS_SYNC=1 does so too.
  bool synchronous = false;
};

struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint32_t shared_bytes = 0;
  StreamHandle stream = nullptr;
  std::source_location where = std::source_location::current();
};

class InlineFunction {
 public:
  const std::string& name() const { return name_; }

  /// Arguments are passed as they are: their types must be the kernel's, pointers 64-bit. Without synchronous mode an
  /// error of an earlier launch may come back from here.
  template <typename... Args>
  Status launch(const LaunchShape& shape, Args... args) const {
    Parameters parameters;
    (parameters.add(args), ...);
    return launch_packed(shape, parameters);
  }

 private:
  friend class InlineKernels;
  InlineFunction(const Device* device, FunctionHandle handle, std::string name, bool synchronous)
      : device_(device), handle_(handle), name_(std::move(name)), synchronous_(synchronous) {}
  Status launch_packed(LaunchShape shape, const Parameters& parameters) const;
  const Device* device_;
  FunctionHandle handle_;
  std::string name_;
  bool synchronous_;
};

class InlineKernels {
 public:
  /// Compiles with NVRTC for `device`, or takes the cubin from the cache. The error shows each line at fault.
  static Result<InlineKernels> load(const Device& device, const std::string& source, const InlineOptions& options = {});
  /// A kernel by its name, or a template instance as options.instances has it.
  Result<InlineFunction> function(const std::string& name) const;
  bool cached() const { return cached_; }

 private:
  InlineKernels(const Device& device, Module module) : device_(&device), module_(std::move(module)) {}
  const Device* device_;
  Module module_;
  std::map<std::string, std::string> lowered_;
  bool synchronous_ = false, cached_ = false;
};

/// A compiler's messages with the source line under each: "line 3: error: ..." and the line itself.
std::string annotated(const std::string& log, const std::string& source);

}  // namespace warplens::cuda
