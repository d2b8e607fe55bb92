#include "warplens/cli/recording_variables.h"

#include <cstdlib>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/recorded_program.h"
#include "warplens/collect/settings/settings.h"

namespace warplens::cli {

std::string recorded_levels(const Invocation& invocation) {
  std::vector<std::string> levels;
  if (!invocation.has("--kernels-only")) levels.emplace_back(invocation.text("--api") == "all" ? "all-calls" : "calls");
  if (invocation.has("--memory")) levels.emplace_back("memory");
  if (invocation.has("--host")) levels.emplace_back("host");
  return join(levels, ",");
}

Status add_python_part(const Invocation& invocation, const std::string& library, Variables& to) {
  const bool shapes = invocation.has("--torch-shapes"), samples = invocation.has("--cpu");
  if (!shapes && !samples && !invocation.has("--torch")) return {};
  const std::filesystem::path folder = std::filesystem::path(library).parent_path() / "warplens_inject";
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "sitecustomize.py", ignored))
    return not_found(fmt::format("{}: this file is missing, and --torch and --cpu need it: install warplens again",
                                 folder.string()));
  if (shapes || invocation.has("--torch")) to.emplace_back("WARPLENS_RECORD_TORCH", shapes ? "shapes" : "names");
  if (samples) to.emplace_back(collect::kSampleVariable, "5000");
  const char* before = std::getenv("PYTHONPATH");
  to.emplace_back("PYTHONPATH", folder.string() + (before != nullptr && *before ? ":" + std::string(before) : ""));
  return {};
}

Result<Variables> variables_for_emulation(const Invocation& invocation, const std::string& output) {
  if (invocation.has("--cpu"))
    return usage_error(
        "--cpu with --emulate: samples would follow the emulator's own time, but times of an emulated program come "
        "from a model. Record on a GPU, or use --host --cpu without --emulate to sample the host");
  WL_ASSIGN(const EmulatedProgram program, emulated_program(invocation));
  Variables out = program.variables;
  out.emplace_back(collect::kOutputVariable, output);
  out.emplace_back(collect::kLevelsVariable, recorded_levels(invocation));
  WL_ASSIGN(const std::string runtime, emulated_runtime());
  out.emplace_back("NVTX_INJECTION64_PATH", runtime);
  WL_ASSIGN(const std::string library, find_injected_library());
  WL_TRY(add_python_part(invocation, library, out));
  return out;
}

}  // namespace warplens::cli
