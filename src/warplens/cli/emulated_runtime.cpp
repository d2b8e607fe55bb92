#include "warplens/cli/emulated_runtime.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "warplens/base/files.h"
#include "warplens/base/installed.h"
#include "warplens/base/process.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/cli/program_runtime.h"
#include "warplens/cli/recorded_program.h"
#include "warplens/collect/emulation_settings.h"
#include "warplens/gpu/device.h"

namespace warplens::cli {

namespace {

/// Errors: nothing that can be started, with what to do.
Status check_startable(const std::string& name, const std::string& path) {
  struct stat found = {};
  const bool is_path = !path.empty();
  if (::stat(is_path ? path.c_str() : name.c_str(), &found) != 0)
    return not_found(contains(name, "/") ? fmt::format("there is no {}: check the path", name)
                                         : fmt::format("there is no {} in PATH", name));
  if (S_ISDIR(found.st_mode)) return not_found(name + " is a folder: give the program in it");
  if (name.ends_with(".cu"))
    return not_found(fmt::format("{0} is source code. Build it first: nvcc -arch=sm_90 -o program {0}", name));
  if (!is_path) return not_found(fmt::format("there is no {0} in PATH; the one in this folder is ./{0}", name));
  if (::access(path.c_str(), X_OK) == 0) return {};
  return not_found(fmt::format("{0} may not be started: chmod +x {0}, if it is a program", name));
}

std::string in_front(const std::string& path, const char* variable) {
  const char* there = std::getenv(variable);
  return there != nullptr && *there != '\0' ? path + ":" + there : path;
}

/// What is loaded with the runtime: its older version, the driver, and stand-ins for the libraries above them.
constexpr const char* kBesideRuntime[] = {"12/libcudart.so.12", "libcuda.so.1",      "libcublas.so.13",
                                          "libcublasLt.so.13",  "libcudnn.so.9",     "libcufft.so.12",
                                          "libcurand.so.10",    "libcusolver.so.12", "libcusparse.so.12",
                                          "libcusparseLt.so.0", "libcupti.so.13",    "libnccl.so.2"};

/// A sanitizer's runtime that is preloaded must stay the first.
std::string behind(const std::string& path, const char* variable) {
  const char* there = std::getenv(variable);
  return there != nullptr && *there != '\0' ? std::string(there) + ":" + path : path;
}

}  // namespace

Result<std::string> emulated_runtime() {
  constexpr const char* kName = "libcudart.so.13";
  WL_ASSIGN(const std::string folder,
            find_installed(
                {.what = "the emulated CUDA runtime is", .file = kName, .places = {"cuda", "../lib/warplens/cuda"}}));
  return folder + "/" + kName;
}

Status become(const std::string& program, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  const bool no_interpreter = errno == ENOENT && ::access(program.c_str(), X_OK) == 0;
  return io_error(fmt::format("{} could not be started: {}", program,
                              no_interpreter
                                  ? "its interpreter is missing (the first line or the header of the file names it)"
                                  : std::strerror(errno)));
}

Result<EmulatedProgram> emulated_program(const Invocation& invocation) {
  const std::string& name = invocation.command[0];
  const std::string program = contains(name, "/") ? name : find_program(name);
  WL_TRY(check_startable(name, program));
  WL_TRY(check_runtime_of(program));
  const std::string wanted =
      invocation.has("--device") ? invocation.text("--device") : collect::EmulationSettings().device;
  if (contains(wanted, ","))
    return usage_error(
        fmt::format("--device {0} names several GPUs, and a program runs on one. To run it once on each, use --emulate "
                    "--devices-compare {0} with `record` or `counters`",
                    wanted));
  WL_ASSIGN(const gpu::Device* const device, gpu::find_device(wanted));
  WL_ASSIGN(const size_t count, invocation.count("--devices"));
  if (count < 1) return usage_error("--devices: give at least 1");
  WL_ASSIGN(const int64_t budget_ns, invocation.time_ns("--launch-budget"));
  WL_ASSIGN(const std::string library, emulated_runtime());
  // Loaded before the program's own: PyTorch's carry a path to theirs that LD_LIBRARY_PATH does not beat.
  const std::string folder = library.substr(0, library.rfind('/'));
  std::string preloaded = library;
  for (const char* other : kBesideRuntime) preloaded += ":" + folder + "/" + other;
  EmulatedProgram out{program,
                      {{collect::kDeviceVariable, device->key},
                       {collect::kDevicesVariable, std::to_string(count)},
                       {collect::kBudgetVariable, fmt::format("{}", static_cast<double>(budget_ns) / 1e9)},
                       {"LD_PRELOAD", behind(preloaded, "LD_PRELOAD")},
                       {"LD_LIBRARY_PATH", in_front(folder + ":" + folder + "/12", "LD_LIBRARY_PATH")}}};
  if (invocation.has("--sample")) out.variables.emplace_back(collect::kSampledLaunchesVariable, "1");
  return out;
}

Flag devices_flag(const std::string& condition) {
  return {"--devices", "N", condition + "how many GPUs the program sees", "1"};
}

Flag budget_flag(const std::string& condition) {
  return {"--launch-budget", "TIME",
          condition + "stop a launch that takes longer than this to emulate: 30s, 2min; 0s: never", "10min"};
}

Flag sample_flag(const std::string& condition) {
  return {"--sample", "",
          condition +
              "run only some launches of each kernel and size; counters and times stay valid, the program's results "
              "do not"};
}

Result<EmulatedRun> run_emulated(const Invocation& invocation, const EmulatedVariables& more) {
  WL_ASSIGN(EmulatedProgram program, emulated_program(invocation));
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  program.variables.emplace_back(collect::kLogVariable, folder.path() + "/%p.log");
  program.variables.insert(program.variables.end(), more.begin(), more.end());
  WL_ASSIGN(const RecordedProgram ran, run_recorded(invocation, program.variables));
  EmulatedRun out{ran.exit_code, ran.signal, {}};
  for (const std::string& path : ran.files) {
    WL_ASSIGN(const std::string bytes, read_file(path));
    WL_ASSIGN(report::ProgramLog log, report::read_program_log(bytes));
    out.processes.push_back(std::move(log));
  }
  return out;
}

}  // namespace warplens::cli
