// Source lines of inline assembly in PTX text.
#pragma once
#include <string>

namespace warplens::ptx {

/// Corrects line numbers of inline assembly, as which Triton writes its loads and stores: LLVM numbers its lines on
/// from the source line. Only the first .loc directive between `// begin inline asm` and `// end inline asm` is right,
/// so the others are blanked. The text keeps its lines. Text for the parser and text for ptxas must both be corrected,
/// or their lines differ.
std::string with_true_lines(std::string text);

}  // namespace warplens::ptx
