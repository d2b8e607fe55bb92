// Kernel names as people say them.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace warplens::analysis {

/// A demangled C++ name without return type, namespaces and parameters, and of its template arguments only the
/// operation: "void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<float>, ...>(int, ...)" becomes
/// "vectorized_elementwise_kernel<AbsFunctor>". Names without templates stay as they are.
std::string short_kernel_name(std::string_view name);

/// `text` shortened in its middle to `width` columns (0: not at all): the ends of names say most.
std::string cut_to_width(std::string text, size_t width);

}  // namespace warplens::analysis
