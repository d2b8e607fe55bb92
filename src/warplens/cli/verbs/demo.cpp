// warplens demo: what the program does, shown on data that comes with it.
#include <algorithm>
#include <filesystem>

#include "warplens/base/installed.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/cli/run.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

namespace fs = std::filesystem;

struct Scene {
  const char* title;
  std::vector<std::string> arguments;
  bool compiles = false;  // needs NVRTC
};

const std::vector<Scene>& scenes() {
  static const std::vector<Scene> list = {
      {"The time of a training step", {"summary", "gpt2_train.pt.trace.json.gz"}},
      {"The problems of this step, and the savings", {"findings", "gpt2_train.pt.trace.json.gz"}},
      {"A softmax that Triton compiled runs without a GPU", {"kernel", "softmax_triton.json", "--emulate"}},
      {"A barrier is missing: the check finds the race, with both sides",
       {"kernel", "reduce.json", "-k", "block_sum_racy", "--emulate", "--check", "all"}},
      {"With the barrier, the check finds nothing",
       {"kernel", "reduce.json", "-k", "block_sum", "--emulate", "--check", "all"}},
      {"CUDA C++: exact counters, the limit, and the line to change",
       {"kernel", "probe.json", "-k", "transpose_conflict", "--emulate"},
       true},
  };
  return list;
}

/// --copy: the demo's data in a folder of the user's, for commands of their own.
Result<int> copy_data(const std::string& from, const std::string& to) {
  std::error_code error;
  if (fs::exists(to, error)) return usage_error(fmt::format("--copy {}: it exists; name a new folder", to));
  fs::create_directories(to, error);
  if (!error) fs::copy(from, to, fs::copy_options::recursive, error);
  if (error) return io_error(fmt::format("{}: {}", to, error.message()));
  fmt::print("copied the demo's data; try: cd {} && warplens gpt2_train.pt.trace.json.gz\n", printable(to));
  return kExitOk;
}

Result<int> run_demo(const Invocation& invocation) {
  if (!invocation.operands.empty()) return usage_error("takes no operands");
  WL_ASSIGN(const std::string folder, find_installed({.what = "the demo's data are",
                                                      .file = "gpt2_train.pt.trace.json.gz",
                                                      .places = {"../share/warplens/demo", "../examples/demo"},
                                                      .variable = "WARPLENS_DATA"}));
  if (invocation.has("--copy")) return copy_data(folder, invocation.text("--copy"));
  std::error_code error;
  fs::current_path(folder, error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  fmt::print("The data are in {}; `warplens demo --copy FOLDER` copies them\n", folder);
  for (const Scene& scene : scenes()) {
    fmt::print("\n{}\n$ warplens {}\n", styled(scene.title, Style::kBold), join(scene.arguments, " "));
    std::fflush(stdout);  // what follows is written past the stream's buffer
    if (scene.compiles && compile::toolkit().nvrtc.empty()) {
      fmt::print("left out, because there is no CUDA compiler: {}\n", compile::toolkit_advice());
      continue;
    }
    std::vector<std::string> arguments = scene.arguments;
    arguments.insert(arguments.end(), {"--config", "none", "--color", invocation.text("--color")});
    const int code = run(arguments);
    if (code != kExitOk && code != kExitDefect) return code;
  }
  return kExitOk;
}

}  // namespace

extern const Verb kDemo;
const Verb kDemo = {
    "demo",
    "try warplens on the data that comes with it",
    "",
    "Runs a few verbs on a recorded training step and on kernels, and prints the commands. No GPU is "
    "needed.",
    {{"--copy", "FOLDER", "copy the demo's data into a new folder, to try commands on them"}},
    {{"warplens demo", "a tour of a minute"}, {"warplens demo --copy tour", "data for the examples of the README"}},
    run_demo,
    {},
    Prints::kNothing};

}  // namespace warplens::cli
