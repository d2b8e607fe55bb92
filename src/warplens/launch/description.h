// A description of kernel launches, from a launch file or the flags of `warplens kernel`.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/status.h"
#include "warplens/launch/dtype.h"
#include "warplens/launch/fill.h"
#include "warplens/launch/tensor_argument.h"
#include "warplens/simt/launch.h"

namespace warplens::launch {

using simt::Dim3;

/// Contents: from a fill, or from a .npy file.
struct BufferSpec {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;  // known after read_contents when it comes from a file
  Fill fill;
  std::string npy;           // path; empty for a fill
  bool dtype_given = false;  // a file's elements must be these (u16 may be named bf16)
  uint64_t count() const;    // elements
  uint64_t size_bytes() const { return count() * info(dtype).size_bytes; }
};

struct Argument {
  std::string buffer;                // the name of one, or empty
  int64_t offset_bytes = 0;          // into it
  std::vector<uint8_t> bytes;        // a scalar or struct
  std::string text;                  // as written, for messages: "i32"
  std::vector<Argument> members;     // of a struct that holds pointers; laid out as a C++ compiler does
  std::optional<TensorMapSpec> map;  // a tensor map of the buffer instead of its address
};

struct LaunchSpec : simt::LaunchShape {
  std::string kernel;  // as the user names it; empty: the only one
  std::vector<Argument> args;
};

/// The expected contents of a buffer afterwards; one of the three is given.
struct Expectation {
  std::string npy;                  // a file's elements
  std::string buffer;               // the final contents of another buffer of the same dtype
  std::optional<Fill> fill;         // the values of this fill
  double rtol = 1e-5, atol = 1e-6;  // passes if |got - want| <= atol + rtol * |want|
};

struct Description {
  std::string source;                // path of .cu, .ptx or .cubin
  std::string arch;                  // "sm_90"; empty when not given
  std::vector<std::string> options;  // of the compiler
  std::string compiler;              // "nvrtc" or "nvcc"; empty when not given
  std::vector<BufferSpec> buffers;
  std::vector<BufferSpec> symbols;  // module variables to fill before the first launch
  std::vector<LaunchSpec> launches;
  std::map<std::string, std::string> save;    // buffer or symbol -> .npy path
  std::map<std::string, Expectation> expect;  // buffer or symbol -> its expected contents
  const BufferSpec* buffer(std::string_view name) const;
};

/// Reads the JSON of a launch file; relative paths in it start from `folder`. It may come from anybody. It may give
/// only compiler options of compile::carried_options, and saves into `folder` alone. Errors name the place in it:
/// "launches[0].args[2]: no buffer 'z'; there are x, y". Files that it names are not opened here.
Result<Description> parse_description(std::string_view json, const std::string& folder);
Result<Description> parse_description(const json::Value& value, const std::string& folder);

/// Calls `visit` with every argument and member of a struct that is a buffer.
void visit_buffers(const std::vector<Argument>& args, const std::function<void(const Argument&)>& visit);

/// Leaves out the launches of kernels other than `wanted`, and the buffers that only those use; "" keeps all. Errors
/// name the kernels of the launches.
Status keep_launches(Description& description, const std::string& wanted);

/// Leaves out the buffers that no launch uses, with their files to save and expected values.
void drop_unused_buffers(Description& description);

/// Checks that do not depend on the kernel: names, sizes, limits. `parse_description` calls it.
Status check_description(const Description& description);
/// A fill without a seed gets the number of its buffer, so that two buffers of random numbers differ.
void number_seeds(Description* description);

}  // namespace warplens::launch
