// Chooses the compiler of a CUDA source: NVRTC compiles device code alone, nvcc whole programs.
#pragma once
#include <string>
#include <string_view>

namespace warplens::compile {

/// `source` with comments, string and character literals blanked out; every byte keeps its place and line.
std::string blank_literals(std::string_view source);

/// Why NVRTC cannot take `source`: "a <<<...>>> launch (line 12)", "main() (line 40)" or "#include <vector> (line 3)".
/// Empty if it looks like device code alone. Headers may still hold host code: then NVRTC reports it.
std::string host_code_reason(std::string_view source);

}  // namespace warplens::compile
