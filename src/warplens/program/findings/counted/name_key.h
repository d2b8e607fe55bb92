// Kernel names of one function, as different tools spell them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens::findings {

/// How much of a name is compared: all of it, all without the parameters, or the function's own name.
enum class NameDetail : uint8_t { kWhole, kTemplate, kFunction };
inline constexpr NameDetail kNameDetails[] = {NameDetail::kWhole, NameDetail::kTemplate, NameDetail::kFunction};

/// Equal for one kernel in any spelling by CUPTI, ncu or c++filt. Such are mangled or not, "(int)4" or "4", "const
/// float *" or "float const*", "<unnamed>" or "(anonymous namespace)". Identifiers and numbers in their order.
std::string name_key(std::string_view name, NameDetail detail);

}  // namespace warplens::findings
