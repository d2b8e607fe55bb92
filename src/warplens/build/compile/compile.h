// CUDA C++ to PTX and cubin, cached by content.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

struct Request {
  std::string source;                     // the text
  std::string path;                       // its file, for diagnostics and #include "..."; "" for text without one
  std::string arch = "sm_90";             // sm_NN[a]: PTX and cubin; compute_NN[a]: PTX alone
  std::vector<std::string> options = {};  // as nvrtc or nvcc take them: -I, -D, -std=, -lineinfo, --use_fast_math, ...
  std::vector<std::string> expressions = {};  // template instances to make: "scale<float, 4>"
  std::string compiler;                       // "nvrtc" or "nvcc", where it is there; "": see compile()
};

struct Compiled {
  std::string ptx;
  std::string cubin;                           // empty after nvcc or for compute_NN: see assemble.h
  std::string log;                             // the compiler's warnings
  std::string compiler;                        // "nvrtc" or "nvcc"
  std::map<std::string, std::string> lowered;  // expression -> mangled name; from NVRTC only
  bool cached = false;
};

/// NVRTC compiles device code alone. A source with host code (or one that NVRTC refuses for its headers or options)
/// goes to nvcc. Some kernels get different code from the two: nvcc keeps addresses of shared memory in 32 bits. A
/// cache hit costs about a millisecond and loads no compiler. The error is the compiler's output.
Result<Compiled> compile(const Request& request);

/// True if `name` is "", "nvrtc" or "nvcc".
Status check_compiler(const std::string& name);

/// True if `arch` is spelt as compilers take it ("sm_90", "sm_100a", "compute_80").
Status check_arch(const std::string& arch);

}  // namespace warplens::compile
