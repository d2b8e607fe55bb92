// warplens doctor: what works on this machine, and for what does not, why and the remedy.
#include <cstdlib>
#include <filesystem>

#include "warplens/base/process.h"
#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/recorded_program.h"
#include "warplens/cli/trace_checks.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

struct Check {
  std::string what, state, remedy;
};

Check tool(const char* what, const std::string& path, const char* use) {
  return {what, path.empty() ? "not found" : path, path.empty() ? use : ""};
}

/// What comes with warplens itself.
Check part(const char* what, const Result<std::string>& path) {
  return path.ok() ? Check{what, *path, ""} : Check{what, "not found", path.status().message()};
}

std::vector<Check> checks() {
  const compile::Toolkit& tools = compile::toolkit();
  const bool driver = has_driver();
  return {
      {"CPU threads", fmt::format("{}", default_threads()), ""},
      {"CUDA driver", driver ? "found" : "not found",
       driver ? "" : "install NVIDIA's driver to use --gpu; everything else works without it"},
      tool("CUDA compiler (NVRTC)", tools.nvrtc, compile::toolkit_advice().c_str()),
      tool("nvcc", tools.nvcc,
           "needed for kernels in files with host code, and to build programs; install it as "
           "above"),
      tool("C++ compiler", find_program("g++"), "nvcc needs one: apt-get install g++"),
      tool("PTX assembler", tools.ptxas.empty() ? tools.nvjitlink : tools.ptxas,
           "needed for registers, spills and machine code; as the compiler"),
      tool("CUPTI", tools.cupti,
           "needed for `record` and `counters -- PROGRAM`. It is in a CUDA toolkit and in PyTorch's wheels. "
           "Otherwise run pip install nvidia-cuda-cupti"),
      part("recorder", find_injected_library()),
      part("emulated CUDA runtime", emulated_runtime()),
  };
}

/// Of traces: what they carry, what they lack, what is damaged.
Result<int> examine_traces(const Invocation& invocation) {
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  const Table data = recorded_data(profile), issues = integrity_issues(profile);
  const ProfileReport report(invocation, profile);
  if (invocation.format() == Format::kJson) {
    WL_TRY(report.json([&](json::Writer& w) { write_rows(w.key("data"), data); }));
  } else {
    std::string text = "\n" + to_terminal(data, terminal_width());
    if (!issues.rows.empty()) text += "\n" + to_terminal(issues, terminal_width());
    WL_TRY(report.table(issues, text));
  }
  return kExitOk;
}

/// A line for each tool, with its remedy below, because half of a remedy helps nobody.
std::string for_people(const std::vector<Check>& list) {
  std::string out;
  for (const Check& check : list) {
    out += fmt::format("{:<24}{}\n", check.what, check.state);
    if (!check.remedy.empty()) out += fmt::format("  {}\n", check.remedy);
  }
  return out;
}

Result<int> run_doctor(const Invocation& invocation) {
  if (!invocation.operands.empty()) return examine_traces(invocation);
  const std::vector<Check> list = checks();
  if (invocation.format() == Format::kTable) {
    WL_TRY(invocation.emit_for_people(for_people(list)));
    return kExitOk;
  }
  Table table{{{"what", "what"}, {"state", "state"}, {"remedy", "remedy"}}, {}};
  for (const Check& check : list) table.rows.push_back({check.what, check.state, check.remedy});
  WL_TRY(invocation.emit(table));
  return kExitOk;
}

}  // namespace

extern const Verb kDoctor;
const Verb kDoctor = {"doctor",
                      "show what works on this machine, and how to fix the rest",
                      "[PROFILE...]",
                      "Finds the driver, a compiler and the tools that warplens can use, and explains the use of "
                      "each. With a trace, it lists the recorded data, the flags that record the rest, and all "
                      "damaged or missing data.",
                      with_cut_flags({}),
                      {{"warplens doctor", "one line for each tool"},
                       {"warplens doctor trace.json.gz", "the data of the trace, and its damage"}},
                      run_doctor,
                      {{"no profile", [](const Invocation& i) { return i.operands.empty(); }, ""}}};

}  // namespace warplens::cli
