// What a kernel's source says of its parameters, and whether arguments are that.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/launch/description.h"

namespace warplens::launch {

struct ParameterType {
  std::string written;  // "float const*"
  bool pointer = false;
  bool writes = true;          // not a pointer to const
  std::optional<DType> dtype;  // of the scalar, or of what the pointer points to; none: a struct, void or bytes
  bool operator==(const ParameterType&) const = default;
};
using Signature = std::vector<ParameterType>;

/// By a mangled name, which holds the types; else by the kernel's definition in CUDA C++ (`source` may be empty). Empty
/// when neither tells.
Signature signature_of(const std::string& kernel, std::string_view source);

/// Errors name the argument, what it is, what the kernel takes and what to write. Structs, tensor maps, pointers to
/// void, to single bytes and to vectors of integers, which carry anything, are not checked, nor are the types of
/// buffers that several launches share; 16-bit floats may lie in 16-bit integers.
Status check_types(const std::string& kernel, const Signature& signature, const std::vector<Argument>& args,
                   const Description& description);

}  // namespace warplens::launch
