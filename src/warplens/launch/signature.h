// Parameter types from a kernel's source, and whether arguments fit them.
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
  std::optional<DType> dtype;  // of the scalar, or of the pointer's target; none: a struct, void or bytes
  bool operator==(const ParameterType&) const = default;
};
using Signature = std::vector<ParameterType>;

/// From a mangled name, which holds the types; else from the kernel's definition in CUDA C++ (`source` may be empty).
/// Empty if neither has them.
Signature signature_of(const std::string& kernel, std::string_view source);

/// Errors name the argument, its type, the kernel's type and the correct form. These are not checked: structs, tensor
/// maps, buffers that several launches share, and pointers to void, to single bytes and to vectors of integers. 16-bit
/// floats may be in 16-bit integers.
Status check_types(const std::string& kernel, const Signature& signature, const std::vector<Argument>& args,
                   const Description& description);

}  // namespace warplens::launch
