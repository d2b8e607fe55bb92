// C++ names of kernels as people read them.
#pragma once
#include <string>

namespace warplens {

/// "_Z6squarePfi" -> "square(float*, int)"; names that are not mangled stay as they are.
std::string demangled(const std::string& name);

/// "_Z6squarePfi" -> "square"; "ns::scale<float>" for a template's instance.
std::string short_name(const std::string& name);

}  // namespace warplens
