// How long a mangled name becomes. Parts of a name may repeat earlier parts, which may repeat others: a name of 300
// bytes can stand for gigabytes.
#pragma once
#include <string_view>

namespace warplens {

/// An upper bound of the characters of a name that begins with _Z. Infinite for one that has unknown marks and many
/// repetitions.
double most_demangled_characters(std::string_view mangled);

}  // namespace warplens
