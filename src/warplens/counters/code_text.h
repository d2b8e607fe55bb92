// Machine code that a file of counts holds, as text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::counters {

/// The instructions of a function, 16 bytes each, without the padding at its end: "@P0 LDG.E R4, desc[UR4][R2.64]".
/// `compute`: 90.
std::vector<std::string> code_text(std::string_view bytes, int compute);

}  // namespace warplens::counters
