// Kernel names of one function, as different tools spell them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens::findings {

/// How much of a name is compared: all of it, without the parameters, the function's own name alone.
enum class NameDetail : uint8_t { kWhole, kTemplate, kFunction };
inline constexpr NameDetail kNameDetails[] = {NameDetail::kWhole, NameDetail::kTemplate, NameDetail::kFunction};

/// Equal for one kernel however CUPTI, ncu or c++filt spell it: mangled or not, "(int)4" or "4", "const float *" or
/// "float const*", "<unnamed>" or "(anonymous namespace)". Identifiers and numbers in their order.
std::string name_key(std::string_view name, NameDetail detail);

}  // namespace warplens::findings
