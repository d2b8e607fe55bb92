#include "warplens/report/code_text.h"

#include <algorithm>

namespace warplens::report {
namespace {

CodeText code_text(std::string_view cubin_bytes, const std::string& kernel, size_t instructions) {
  CodeText out{std::vector<cubin::SourceLine>(instructions), std::vector<std::string>(instructions)};
  const Result<cubin::Cubin> read = cubin::read_cubin(cubin_bytes);
  const cubin::Function* function = read.ok() ? read->function(kernel) : nullptr;
  if (!function) return out;
  out.is_of_triton = function->required_threads[0] > 0 &&
                     std::ranges::any_of(function->lines, [](const auto& at) { return is_python(at.file); });
  for (const cubin::SassInstruction& instruction : function->instructions) {
    const size_t at = instruction.address / 16;
    if (at >= instructions) continue;
    out.texts[at] = instruction.text();
    if (instruction.line < function->lines.size()) out.lines[at] = function->lines[instruction.line];
  }
  return out;
}

}  // namespace

const CodeText& CodeTexts::of(std::string_view cubin_bytes, const std::string& kernel, size_t instructions) {
  const auto found = kernels_.find(kernel);
  if (found != kernels_.end() && found->second.texts.size() == instructions) return found->second;
  return kernels_[kernel] = code_text(cubin_bytes, kernel, instructions);
}

}  // namespace warplens::report
