// Source lines of inline assembly in PTX text.
#pragma once
#include <string>

namespace warplens::ptx {

/// LLVM counts the lines of inline assembly, as which Triton writes its loads and stores, on from the source line: of
/// the .loc directives between `// begin inline asm` and `// end inline asm` only the first is true. The others are
/// blanked, the lines of the text stay. Text for the parser and text for ptxas must both have been through this, or
/// they name other lines.
std::string with_true_lines(std::string text);

}  // namespace warplens::ptx
