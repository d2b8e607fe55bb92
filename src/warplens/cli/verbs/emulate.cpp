// warplens emulate: runs a CUDA program as it is on a GPU that is not there.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "warplens/base/text.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/program_checks.h"
#include "warplens/cli/verb.h"
#include "warplens/collect/emulation_settings.h"

namespace warplens::cli {
namespace {

/// A file that lives as long as the program, which takes this process's place.
void watch_use() {
  const int file = ::memfd_create("warplens-used", 0);
  if (file >= 0) ::setenv(collect::kUsedVariable, fmt::format("/proc/{}/fd/{}", ::getpid(), file).c_str(), 1);
}

Result<int> run_emulate(const Invocation& invocation) {
  if (invocation.command.empty()) return usage_error("name the program after --, as in: warplens emulate -- ./program");
  if (invocation.has("--check")) return check_program(invocation);
  WL_ASSIGN(const EmulatedProgram program, emulated_program(invocation));
  for (const auto& [name, value] : program.variables) ::setenv(name.c_str(), value.c_str(), 1);
  watch_use();
  WL_TRY(become(program.path, invocation.command));
  return kExitOk;
}

}  // namespace

extern const Verb kEmulate;
const Verb kEmulate = {
    "emulate",
    "run a CUDA program without a GPU; check it for defects",
    "-- PROGRAM [ARGUMENT...]",
    "Starts the program with an emulated CUDA runtime. Its kernels run from their machine code on this computer's "
    "CPU. The program's output and exit code do not change. Programs that nvcc links by default run too, unless "
    "they are stripped. Compile with -lineinfo, so that defects have source lines. For modelled times, use `warplens "
    "record --emulate` (a timeline) or `warplens counters "
    "--emulate` (each kernel).",
    {
        {"--device", "NAME", "the GPU to emulate (`warplens device list`)", "h200"},
        devices_flag(),
        budget_flag(),
        sample_flag(),
        {"--check",
         "KINDS",
         "check all launches for defects: memory,race,init,sync,leaks or all; with defects, the exit code is 4 if "
         "the program's is 0",
         "",
         {},
         false,
         "all"},
    },
    {{"warplens emulate -- ./program", "as on an H200"},
     {"warplens emulate --device a100 --devices 2 -- ./program", "on two A100s"},
     {"warplens emulate --check -- ./program", "defects of its kernels, by line"},
     {"warplens emulate --check=race,sync -- ./program", "only these kinds"},
     {"warplens emulate --check --format github -- ./program", "annotations for GitHub Actions"}},
    run_emulate,
    {{"--check", [](const Invocation& i) { return i.has("--check"); }, "--check --device --devices --launch-budget"},
     {"a program",
      [](const Invocation&) { return true; },
      "--check --device --devices --launch-budget --sample",
      {{"--output --force --brief", "--check"}},
      true}},
    Prints::kData,
    {"github", "sarif"}};

}  // namespace warplens::cli
