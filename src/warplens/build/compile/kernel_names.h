// Kernels by the names people use: `square` for _Z6squarePfi, `scale<float>` for an instance of a template.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

/// The names of the `.entry` functions of a PTX text, in its order.
std::vector<std::string> entry_names(std::string_view ptx);

/// The one of `entries` that `wanted` means: its mangled name, its full signature, or its name with or without
/// namespaces and template arguments. "" means the only one. The error lists the entries.
Result<std::string> choose_kernel(const std::vector<std::string>& entries, const std::string& wanted);

}  // namespace warplens::compile
