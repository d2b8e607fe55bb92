// warplens nvcc: NVIDIA's compiler, with what a program needs to be emulated.
#include <filesystem>

#include "warplens/build/compile/toolkit.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

Result<int> run_nvcc(const Invocation& invocation) {
  const std::string& nvcc = compile::toolkit().nvcc;
  if (nvcc.empty()) return not_found("no nvcc was found: " + compile::toolkit_advice());
  WL_ASSIGN(const std::string runtime, emulated_runtime());
  // The shared runtime is one that can be stood in for; where the toolkit has only wheels' libraries, ours is linked.
  std::vector<std::string> words = {nvcc, "-cudart", "shared", "-L", std::filesystem::path(runtime).parent_path().string()};
  words.insert(words.end(), invocation.command.begin(), invocation.command.end());
  WL_TRY(become(nvcc, words));
  return kExitOk;
}

}  // namespace

extern const Verb kNvcc;
const Verb kNvcc = {"nvcc",
                    "nvcc, with what emulation needs",
                    "ARGUMENT...",
                    "Runs the CUDA compiler with these arguments, and the program linked against the shared runtime, which "
                    "`warplens emulate` can stand in for. Serves wherever a Makefile or CMake takes a compiler: "
                    "NVCC='warplens nvcc', CMAKE_CUDA_COMPILER.",
                    {},
                    {{"warplens nvcc -arch=sm_90 -o saxpy saxpy.cu", "then: warplens emulate -- ./saxpy"}},
                    run_nvcc,
                    {},
                    true};

}  // namespace warplens::cli
