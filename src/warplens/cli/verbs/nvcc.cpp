// warplens nvcc: NVIDIA's compiler, with what a program needs to be emulated.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "warplens/base/process.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/old_architectures.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {

namespace fs = std::filesystem;

namespace {

/// What links programs of this compiler against the emulated runtime: CUDA 12's is a library of its own, over 13's.
Result<std::vector<std::string>> runtime_words(const std::string& nvcc) {
  WL_ASSIGN(const std::string runtime, emulated_runtime());
  WL_ASSIGN(const ProcessOutput version, run_process({nvcc, "--version"}));
  const std::string folder = fs::path(runtime).parent_path().string();
  if (version.output.find("release 12.") == std::string::npos) return std::vector<std::string>{"-L", folder};
  return std::vector<std::string>{"-L", folder + "/12", "-Xlinker", "-rpath-link=" + folder};
}

/// The words given, for architectures that this compiler knows: Makefiles name those of their time.
Result<std::vector<std::string>> given_words(const std::string& nvcc, const std::vector<std::string>& given) {
  WL_ASSIGN(const ProcessOutput known, run_process({nvcc, "--list-gpu-arch"}));
  const NewerWords newer = without_old_architectures(given, known.exit_code == 0 ? known.output : "");
  if (!newer.dropped.empty())
    tell("warplens nvcc: this nvcc no longer supports {}: compiled {}\n", fmt::join(newer.dropped, ", "),
         newer.words.back() == "-arch=sm_90" ? "for sm_90" : "for the others that are named");
  return newer.words;
}

/// Reports name source lines only with -lineinfo, which does not change the code.
bool wants_lines(const std::vector<std::string>& given) {
  const auto has = [&](const auto& fits) { return std::ranges::any_of(given, fits); };
  return has([](const std::string& word) { return word.ends_with(".cu"); }) && !has([](const std::string& word) {
           return word == "-lineinfo" || word == "--generate-line-info" || word == "-G" || word == "--device-debug";
         });
}

Result<int> run_nvcc(const Invocation& invocation) {
  const std::string& nvcc = compile::toolkit().nvcc;
  if (nvcc.empty()) return not_found("no nvcc was found: " + compile::toolkit_advice());
  const auto names_compiler = [](const std::string& word) { return word.find("-ccbin") != std::string::npos; };
  if (find_program("gcc").empty() && std::ranges::none_of(invocation.command, names_compiler))
    return not_found(compile::host_compiler_advice());
  WL_ASSIGN(const std::vector<std::string> runtime, runtime_words(nvcc));
  // The shared runtime is one that can be stood in for; where the toolkit has only wheels' libraries, ours is linked,
  // and what else nvcc links lies in lib, where it looks in lib64.
  const fs::path libraries = fs::path(nvcc).parent_path().parent_path() / "lib";
  std::vector<std::string> words = {nvcc, "-cudart", "shared"};
  words.insert(words.end(), runtime.begin(), runtime.end());
  if (std::error_code none; fs::exists(libraries / "libcudadevrt.a", none))
    words.insert(words.end(), {"-L", libraries.string()});
  WL_ASSIGN(const std::vector<std::string> given, given_words(nvcc, invocation.command));
  words.insert(words.end(), given.begin(), given.end());
  if (wants_lines(given)) words.emplace_back("-lineinfo");
  WL_TRY(become(nvcc, words));
  return kExitOk;
}

}  // namespace

extern const Verb kNvcc;
const Verb kNvcc = {
    "nvcc",
    "compile a CUDA program so that it can be emulated",
    "ARGUMENT...",
    "Runs the CUDA compiler with these arguments, and links the program against the shared runtime, which `warplens "
    "emulate` replaces. Use it as the compiler of a Makefile or CMake: NVCC='warplens nvcc', CMAKE_CUDA_COMPILER. "
    "Architectures that the compiler no longer supports are left out. If no other is named, it compiles for sm_90. It "
    "adds -lineinfo, so that reports name source lines.",
    {},
    {{"warplens nvcc -o saxpy saxpy.cu", "then: warplens emulate -- ./saxpy"}},
    run_nvcc,
    {},
    Prints::kNothing,
    {},
    true};

}  // namespace warplens::cli
