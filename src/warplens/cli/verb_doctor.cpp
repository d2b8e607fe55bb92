// warplens doctor: what works on this machine, and for what does not, why and the remedy.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/cli/verb.h"
#include "warplens/compile/toolkit.h"

namespace warplens::cli {
namespace {

struct Check {
  std::string what, state, remedy;
};

bool loads(const char* library) { return ::dlopen(library, RTLD_LAZY | RTLD_LOCAL) != nullptr; }

Check tool(const char* what, const std::string& path, const char* use) {
  return {what, path.empty() ? "not found" : path, path.empty() ? use : ""};
}

std::vector<Check> checks() {
  const compile::Toolkit& tools = compile::toolkit();
  const bool driver = loads("libcuda.so.1");
  return {
      {"CPU threads", fmt::format("{}", default_threads()), ""},
      {"CUDA driver", driver ? "found" : "not found",
       driver ? "" : "install NVIDIA's driver to use --gpu; everything else works without it"},
      tool("CUDA compiler (NVRTC)", tools.nvrtc, compile::toolkit_advice().c_str()),
      tool("nvcc", tools.nvcc, "needed for kernels in files with host code; in the package nvidia-cuda-nvcc"),
      tool("PTX assembler", tools.ptxas.empty() ? tools.nvjitlink : tools.ptxas, "needed for registers, spills and machine code; in the package nvidia-cuda-nvcc"),
  };
}

Result<int> run_doctor(const Invocation& invocation) {
  Table table{{{"what", "what"}, {"state", "state"}, {"remedy", "remedy"}}, {}};
  for (const Check& check : checks()) table.rows.push_back({check.what, check.state, check.remedy});
  WL_TRY(invocation.emit(table));
  return kExitOk;
}

}  // namespace

extern const Verb kDoctor;
const Verb kDoctor = {
    "doctor", "what works on this machine, and for what does not, why and the remedy", "",
    "Looks for the driver, a compiler and the tools that warplens can use, and says what each would add.",
    {}, {{"warplens doctor", "one line a facility"}}, run_doctor};

}  // namespace warplens::cli
